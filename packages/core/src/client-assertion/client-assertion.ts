/** Clients that authenticate with a signed assertion instead of a shared secret (RFC 7523, `private_key_jwt`). */
import type { Feature } from '../feature.ts'
import type { DocumentFetch } from '../http/document-fetch.ts'
import { ASSERTION_ERRORS } from './assertion-signature.ts'
import { ASSERTION_ALGORITHMS, type AssertionAlgorithm, checkKeys, keyMetadata } from './client-keys.ts'
import { FETCHED_KEYS_ERRORS, fetchedKeys } from './fetched-keys.ts'
import { privateKeyJwt } from './private-key-jwt.ts'

export type { AssertionAlgorithm } from './client-keys.ts'
export type { ClientKeysFailed } from './fetched-keys.ts'

export interface ClientAssertionOptions {
  /** The signature algorithms to accept (RFC 7518 3.1). Default all four: ES256, EdDSA, PS256, RS256. */
  readonly algorithms?: readonly AssertionAlgorithm[] | undefined
  /**
   * Values of `aud` to accept in addition to the issuer, such as the URL of the token endpoint, for clients that are older
   * than RFC 7523bis. Default: none.
   */
  readonly legacyAudiences?: readonly string[] | undefined
  /** Whether `aud` must be a string, and not even an array of one value (RFC 7523bis 3). Default false. */
  readonly stringAudience?: boolean | undefined
  /** Fetches the keys of clients that register a `jwks_uri`. Default: clients register their keys as `jwks`. */
  readonly fetch?: DocumentFetch | undefined
}

/** The endpoints whose algorithms are in the metadata (RFC 8414 2). */
const LISTED = ['token_endpoint', 'revocation_endpoint', 'introspection_endpoint']

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
  algorithms = ASSERTION_ALGORITHMS,
  legacyAudiences = [],
  stringAudience = false,
  fetch,
}: ClientAssertionOptions = {}): Feature {
  if (algorithms.length === 0 || !algorithms.every((alg) => ASSERTION_ALGORITHMS.includes(alg)))
    throw new Error(`clientAssertion: algorithms must be some of ${ASSERTION_ALGORITHMS.join(', ')}`)
  return (kernel) => {
    const { transients } = kernel.store
    if (transients === undefined) throw new Error('clientAssertion: the store has no transients')
    const audiences = [kernel.issuer, ...legacyAudiences]
    const keysAt = fetch && fetchedKeys(kernel, fetch)
    return {
      clientAuthMethods: [
        privateKeyJwt({ kernel, transients, algorithms, audiences, stringAudience, keysAt }),
      ],
      metadata: Object.fromEntries(
        LISTED.map((endpoint) => [`${endpoint}_auth_signing_alg_values_supported`, [...algorithms]]),
      ),
      clientMetadata: (registeredBy) => keyMetadata(registeredBy, fetch !== undefined),
      checkClient: (client) => checkKeys(client, algorithms),
      errors: { ...ASSERTION_ERRORS, ...FETCHED_KEYS_ERRORS },
    }
  }
}
