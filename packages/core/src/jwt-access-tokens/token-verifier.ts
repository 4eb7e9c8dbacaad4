/** The checks of a signed token with only the public keys of the authorization server. */
import { createLocalJWKSet, createRemoteJWKSet, errors, type JSONWebKeySet, jwtVerify } from 'jose'
import { isHttpsOrLoopback } from '../http/public-url.ts'
import { CLOCK_TOLERANCE } from '../kernel/kernel.ts'
import { OAuthError } from '../kernel/oauth-error.ts'
import type { UserClaims } from '../kernel/user-claims.ts'
import { BEARER_ERRORS } from '../resource/challenge.ts'
import { requireWrongSignature } from '../tokens/jose-faults.ts'
import { ACCESS_TOKEN_TYPE, AccessTokenClaims, requiredClaims } from './access-token-claims.ts'
import { JWT_GUARD_ERRORS } from './revoked-tokens.ts'
import { verifiedOnce } from './verified-tokens.ts'

/** The minimum time between two fetches for an unknown `kid`, in milliseconds: any caller can choose a `kid`. */
const COOLDOWN_MS = 30_000
/** Keys that are older are fetched again, in milliseconds. A new key is published twice as long before it signs. */
const KEYS_MAX_AGE_MS = 600_000

interface Expected {
  readonly issuer: string
  /** Canonical. */
  readonly resource: string
  readonly keys: string | JSONWebKeySet
  readonly now: () => number
}

/** The claims of the protocol, and those of the operator. */
export interface VerifiedClaims extends AccessTokenClaims {
  readonly others?: UserClaims
}

/**
 * The checks of RFC 9068 4. The function rejects with `invalid_token`, or with 503 if the keys are unavailable: a client must
 * not discard its token then.
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
  const verified = verifiedOnce({ keyFor: (header) => keySet(header), verify, claimsIn, now })
  return (text: string) => verified(text).catch((error) => refuse(error, text))

  async function verify(text: string) {
    const options = { ...expected, currentDate: new Date(1000 * now()) }
    const { payload, ...result } = await jwtVerify(text, keySet, options)
    const claims = requiredClaims(claimsIn(payload))
    // An `iat` in the future means that a clock is wrong, so `exp` proves nothing.
    if (claims.iat > now() + CLOCK_TOLERANCE) throw new errors.JWTInvalid('iat is in the future')
    return { ...result, claims }
  }
}

const CLAIMS_OF_PROTOCOL = new Set(Object.keys(AccessTokenClaims.shape))

function claimsIn(payload: unknown): VerifiedClaims | undefined {
  const claims = AccessTokenClaims.safeParse(payload).data
  if (claims === undefined) return undefined
  const all = payload as UserClaims
  const others = Object.keys(all).filter((name) => !CLAIMS_OF_PROTOCOL.has(name))
  if (others.length === 0) return claims
  return { ...claims, others: Object.fromEntries(others.map((name) => [name, all[name]])) }
}

function remoteKeys(address: string) {
  // Whoever changes the keys on their way makes tokens.
  if (!isHttpsOrLoopback(address)) throw new Error(`keys: must be an https address, not ${address}`)
  const url = new URL(address)
  return createRemoteJWKSet(url, { cooldownDuration: COOLDOWN_MS, cacheMaxAge: KEYS_MAX_AGE_MS })
}

/** Faults of the token. All other errors are about the keys. */
const TOKEN_FAULTS = [
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

async function refuse(cause: unknown, text: string): Promise<never> {
  await requireWrongSignature(cause, text)
  const ofToken = TOKEN_FAULTS.some((Fault) => cause instanceof Fault)
  const definition = ofToken ? BEARER_ERRORS.bearer_unknown : JWT_GUARD_ERRORS.keys_unavailable
  throw new OAuthError(definition, undefined, { cause })
}
