import { createLocalJWKSet, createRemoteJWKSet, errors, type JSONWebKeySet, jwtVerify } from 'jose'
import { CLOCK_TOLERANCE } from '../kernel/kernel.ts'
import { OAuthError } from '../kernel/oauth-error.ts'
import { BEARER_ERRORS } from '../resource/challenge.ts'
import { ACCESS_TOKEN_TYPE, AccessTokenClaims } from './access-token-claims.ts'
import { JWT_GUARD_ERRORS } from './revoked-tokens.ts'

/** An unknown `kid` fetches the keys again at most this often, in milliseconds: strangers choose the `kid`. */
const COOLDOWN_MS = 30_000
/** Keys older than this are fetched again, in milliseconds. A new key is published twice as long before it signs. */
const KEYS_MAX_AGE_MS = 600_000

interface Expected {
  readonly issuer: string
  /** Canonical. */
  readonly resource: string
  readonly keys: string | JSONWebKeySet
  readonly now: () => number
}

/**
 * The checks of RFC 9068 4. The function rejects with `invalid_token`, or with 503 where keys cannot be had: a client must
 * not discard its token for that.
 */
export function tokenVerifier({ issuer, resource, keys, now }: Expected) {
  const keySet = typeof keys === 'string' ? remoteKeys(keys) : createLocalJWKSet(keys)
  const expected = {
    issuer,
    audience: resource,
    typ: ACCESS_TOKEN_TYPE,
    algorithms: ['RS256', 'ES256', 'EdDSA'],
    clockTolerance: CLOCK_TOLERANCE,
  }
  return async (text: string): Promise<AccessTokenClaims> => {
    const options = { ...expected, currentDate: new Date(1000 * now()) }
    const { payload } = await jwtVerify(text, keySet, options).catch(refuse)
    const claims = AccessTokenClaims.safeParse(payload)
    // An issue time in the future is a wrong clock, and then no end can be trusted.
    if (!claims.success || claims.data.iat > now() + CLOCK_TOLERANCE)
      throw new OAuthError(BEARER_ERRORS.bearer_unknown)
    return claims.data
  }
}

function remoteKeys(address: string) {
  const url = new URL(address)
  return createRemoteJWKSet(url, { cooldownDuration: COOLDOWN_MS, cacheMaxAge: KEYS_MAX_AGE_MS })
}

/** What can be wrong with the token itself. Everything else is about the keys. */
const FAULTS_OF_TOKEN = [
  errors.JWSInvalid,
  errors.JWSSignatureVerificationFailed,
  errors.JWTInvalid,
  errors.JWTExpired,
  errors.JWTClaimValidationFailed,
  errors.JOSEAlgNotAllowed,
  errors.JOSENotSupported,
  errors.JWKSNoMatchingKey,
  errors.JWKSMultipleMatchingKeys,
]

function refuse(cause: unknown): never {
  const ofToken = FAULTS_OF_TOKEN.some((Fault) => cause instanceof Fault)
  throw new OAuthError(
    ofToken ? BEARER_ERRORS.bearer_unknown : JWT_GUARD_ERRORS.keys_unavailable,
    undefined,
    {
      cause,
    },
  )
}
