/**
 * Signed authorization requests (RFC 9101, JAR), by value: the parameter `request`, at the authorization endpoint and pushed. No
 * `request_uri` is ever fetched.
 */
import * as z from 'zod'
import type { AuthorizationRequestSource } from '../../authorization/authorization-request.ts'
import { RequestSources } from '../../authorization/presented-request.ts'
import { invalidMetadata } from '../../clients/client-metadata.ts'
import type { Feature } from '../../feature.ts'
import { wholeSeconds } from '../../kernel/kernel.ts'
import { acceptedAlgorithms, JWS_ALGORITHMS, type JwsAlgorithm } from '../../tokens/jwk.ts'
import { openObject, REQUEST_OBJECT_ERRORS, SIGNING_ALG } from './request-object.ts'

export { REQUEST_OBJECT_ERRORS, type RequestObjectAccepted } from './request-object.ts'

export interface RequestObjectsOptions {
  /**
   * Whether every client must sign its authorization requests, and needs a key for it. Default: the clients that register
   * `require_signed_request_object`.
   */
  readonly required?: boolean | undefined
  /**
   * How old a request object may be, by its `nbf`, and how long it may live, in seconds: 60 to 3600. It is good for one answer, which is
   * remembered for as long. Default 3600.
   */
  readonly maxAge?: number | undefined
  /** The signature algorithms to accept. Default all: ES256, EdDSA, PS256, RS256. `EdDSA` and `Ed25519` are one (RFC 9864 2.2). */
  readonly algorithms?: readonly JwsAlgorithm[] | undefined
  /** `required`: an object must have `nbf` (FAPI 2.0 Message Signing 5.3.1). Default: its age counts if it has one. */
  readonly nbf?: 'required' | undefined
}

/** RFC 9101 10.5. */
const REQUIRE = 'require_signed_request_object'

/**
 * Accepts signed authorization requests (RFC 9101): neither the browser nor its user can change one. The keys are those of
 * `clientAssertion`, which must be mounted too.
 *
 * @throws Error that names the option at fault
 *
 * @example
 * ```ts with:server
 * import { createAuthorizationServer } from '@grantkit/core'
 * import { clientAssertion } from '@grantkit/core/client-assertion'
 * import { requestObjects } from '@grantkit/core/request-objects'
 *
 * const features = [clientAssertion(), requestObjects()]
 * export const authorization = createAuthorizationServer({ issuer, store, scopes, secret, interaction, features })
 * ```
 */
export function requestObjects({
  required = false,
  maxAge = 3600,
  algorithms: named = JWS_ALGORITHMS,
  nbf,
}: RequestObjectsOptions = {}): Feature {
  const algorithms = acceptedAlgorithms('requestObjects', named)
  wholeSeconds('requestObjects: maxAge', maxAge, 60, 3600)
  const accepted = { algorithms, maxAge, nbf }
  return (server) => {
    const source: AuthorizationRequestSource = {
      parameter: 'request',
      open: (object, clientId) => openObject(server, accepted, object, clientId),
      refusal({ featureMetadata }, opened) {
        if (!required && featureMetadata?.[REQUIRE] !== true) return undefined
        // What an authenticated client pushed was verified then.
        return opened?.proven ? undefined : REQUEST_OBJECT_ERRORS.request_object_missing
      },
    }
    return {
      requestSources: new RequestSources([source]),
      errors: REQUEST_OBJECT_ERRORS,
      metadata: {
        request_parameter_supported: true,
        request_uri_parameter_supported: false,
        request_object_signing_alg_values_supported: [...algorithms],
        ...(required ? { [REQUIRE]: true } : {}),
      },
      // The keys of a client that registers itself are unverified, so it has none.
      clientMetadata: (registeredBy) =>
        registeredBy === 'client'
          ? {}
          : { [SIGNING_ALG]: z.enum(algorithms).optional(), [REQUIRE]: z.boolean().optional() },
      checkClient({ featureMetadata = {}, redirectUris }) {
        const { [REQUIRE]: registered, jwks, jwks_uri } = featureMetadata
        // A client without a redirect URI sends no authorization requests.
        const mustSign = registered === true || (required && redirectUris.length > 0)
        if (mustSign && jwks === undefined && jwks_uri === undefined)
          throw invalidMetadata(`${REQUIRE} needs jwks or jwks_uri`)
      },
      checkMounted({ clientKeys }) {
        if (clientKeys === undefined)
          throw new Error('requestObjects: needs clientAssertion, which reads the keys of clients')
      },
    }
  }
}
