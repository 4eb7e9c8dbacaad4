/** Clients that authenticate with a signed assertion instead of a shared secret (RFC 7523, `private_key_jwt`). */

import type { Feature } from '../../feature.ts'
import type { DocumentFetch } from '../../http/outbound.ts'
import { wholeSeconds } from '../../kernel/kernel.ts'
import { FETCHED_KEYS_ERRORS, fetchedKeys } from '../../tokens/fetched-keys.ts'
import { acceptedAlgorithms, JWS_ALGORITHMS, type JwsAlgorithm } from '../../tokens/jwk.ts'
import { ASSERTION_ERRORS, checkKeys, keyMetadata, keysOf, privateKeyJwt } from './private-key-jwt.ts'

export type { ClientKeysFailed } from '../../tokens/fetched-keys.ts'

export interface ClientAssertionOptions {
  /**
   * The signature algorithms to accept (RFC 7518 3.1). Default all: ES256, EdDSA, PS256, RS256. `EdDSA` and `Ed25519` are two
   * names of one algorithm (RFC 9864 2.2): one of them accepts both.
   */
  readonly algorithms?: readonly JwsAlgorithm[] | undefined
  /**
   * The accepted values of `aud`. `issuer`: the issuer (RFC 7523bis). `endpoints`: the issuer, and the address of each endpoint at
   * which clients authenticate, for libraries that send the token endpoint, such as Spring Security, MSAL and Authlib
   * (OpenID Connect Core 9, RFC 9126 2). Default `issuer`.
   */
  readonly audiences?: 'issuer' | 'endpoints' | undefined
  /** How far ahead `exp` may be, in seconds: 1 to 86400. Used assertions are stored for as long. Default 600. */
  readonly maxLifetime?: number | undefined
  /** Whether `aud` must be a string, and not even an array of one value (RFC 7523bis 3). Default false. */
  readonly stringAudience?: boolean | undefined
  /** Fetches the keys of clients that register a `jwks_uri`. Default: clients register their keys as `jwks`. */
  readonly fetch?: DocumentFetch | undefined
}

/** The endpoints whose algorithms are in the metadata (RFC 8414 2). */
const LISTED = ['token_endpoint', 'revocation_endpoint', 'introspection_endpoint']

/** A day, in seconds. */
const MAX_LIFETIME = 24 * 60 * 60

/**
 * Adds the authentication method `private_key_jwt` for static clients, which register `jwks` or `jwks_uri` with `clients.add`, and
 * for clients with metadata documents. Needs a store with transients.
 *
 * @throws Error that names the option at fault, when the server is created
 *
 * @example
 * ```ts with:server
 * import { createAuthorizationServer } from '@grantkit/core'
 * import { clientAssertion } from '@grantkit/core/client-assertion'
 *
 * const features = [clientAssertion()]
 * export const authorization = createAuthorizationServer({ issuer, store, scopes, secret, interaction, features })
 * ```
 */
export function clientAssertion({
  algorithms: named = JWS_ALGORITHMS,
  audiences = 'issuer',
  maxLifetime = 10 * 60,
  stringAudience = false,
  fetch,
}: ClientAssertionOptions = {}): Feature {
  const algorithms = acceptedAlgorithms('clientAssertion', named)
  if (audiences !== 'issuer' && audiences !== 'endpoints')
    throw new Error('clientAssertion: audiences must be issuer or endpoints')
  wholeSeconds('clientAssertion: maxLifetime', maxLifetime, 1, MAX_LIFETIME)
  return (kernel) => {
    const { transients } = kernel.store
    if (transients === undefined) throw new Error('clientAssertion: the store has no transients')
    let audience = [kernel.issuer]
    const keysAt = fetch && fetchedKeys(kernel, fetch)
    const accepted = {
      transients,
      algorithms,
      stringAudience,
      maxLifetime,
      keysAt,
      audiences: () => audience,
    }
    return {
      clientAuthMethods: [privateKeyJwt(kernel, accepted)],
      clientKeys: (client) => keysOf(client, keysAt),
      metadata: Object.fromEntries(
        LISTED.map((endpoint) => [`${endpoint}_auth_signing_alg_values_supported`, [...algorithms]]),
      ),
      clientMetadata: (registeredBy) => keyMetadata(registeredBy, kernel.issuer, fetch !== undefined),
      checkClient: (client) => checkKeys(client, algorithms),
      checkMounted({ metadata, clientEndpoints }) {
        if (audiences === 'issuer') return
        // Their addresses are known when all features are mounted.
        const addresses = clientEndpoints.flatMap(({ metadataName = '' }) => metadata[metadataName] ?? [])
        audience = [kernel.issuer, ...addresses.map(String)]
      },
      errors: { ...ASSERTION_ERRORS, ...FETCHED_KEYS_ERRORS },
    }
  }
}
