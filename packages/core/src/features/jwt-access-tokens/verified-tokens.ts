/**
 * Verifies each token once, and not at each request: a signature takes ten times as long as everything else that a guard does.
 */
import {
  type CryptoKey,
  createLocalJWKSet,
  createRemoteJWKSet,
  errors,
  type JSONWebKeySet,
  type JWTHeaderParameters,
  type JWTVerifyResult,
  jwtVerify,
  type ResolvedKey,
} from 'jose'
import { isHttpsOrLoopback } from '../../http/public-url.ts'
import { CLOCK_TOLERANCE, type UserClaims } from '../../kernel/kernel.ts'
import { OAuthError } from '../../kernel/oauth-error.ts'
import { RecentlyUsed } from '../../kernel/recently-used.ts'
import { sha256 } from '../../kernel/secrets.ts'
import { BEARER_ERRORS } from '../../resource/challenge.ts'
import { decodedJson } from '../../tokens/jwk.ts'
import { requireWrongSignature } from '../../tokens/jws-signature.ts'
import { ACCESS_TOKEN_TYPE, AccessTokenClaims, requiredClaims } from './access-token-claims.ts'
import { JWT_GUARD_ERRORS } from './revoked-tokens.ts'

/** In seconds. Signed tokens of this server live no longer. */
const MAX_AGE = 600
/** About 8 MB. */
const MAX_TOKENS = 10_000

/** How tokens are verified. */
export interface Verification<Claims extends AccessTokenClaims> {
  /** The key of a header, from the current key set. Rejects if there is none. */
  readonly keyFor: (header: JWTHeaderParameters) => Promise<CryptoKey>
  /** Makes all checks. Rejects if one fails. */
  readonly verify: (
    text: string,
  ) => Promise<Omit<JWTVerifyResult, 'payload'> & ResolvedKey & { claims: Claims }>
  /** The claims in a payload; `undefined` unless all are valid. */
  readonly claimsIn: (payload: unknown) => Claims | undefined
  /** Epoch seconds. */
  readonly now: () => number
  /** Default 10,000. */
  readonly maxTokens?: number | undefined
}

/** A token that was valid. Its text is a secret and is not kept. */
interface VerifiedToken<Claims> {
  readonly header: JWTHeaderParameters
  readonly key: ResolvedKey['key']
  /** Epoch seconds. Before this time the clock has gone back, so what depends on the clock is checked again. */
  readonly verifiedAt: number
  readonly until: number
  /** Absent if a member is an object, which a request could change for the next one: they are read from the text again. */
  readonly claims: Claims | undefined
}

/** Verifies tokens, and remembers the valid ones. Rejects as `verify` and `keyFor` do. */
export function verifiedOnce<Claims extends AccessTokenClaims>({
  keyFor,
  verify,
  claimsIn,
  now,
  maxTokens = MAX_TOKENS,
}: Verification<Claims>): (text: string) => Promise<Claims> {
  const tokens = new RecentlyUsed<VerifiedToken<Claims>>(maxTokens)

  async function verifyNow(text: string, hash: string): Promise<Claims> {
    const { claims, protectedHeader: header, key } = await verify(text)
    const verifiedAt = now()
    const until = Math.min(claims.exp, verifiedAt + MAX_AGE)
    tokens.set(hash, { header, key, verifiedAt, until, claims: isFlat(claims) ? claims : undefined })
    return claims
  }

  return async (text) => {
    const hash = sha256(text)
    const token = tokens.get(hash)
    if (token === undefined || !isTimely(token, now())) return verifyNow(text, hash)
    // The key set is read each time: it may have to be fetched again, and may no longer have the key.
    const key = await keyFor(token.header)
    if (key !== token.key) return verifyNow(text, hash)
    return token.claims ?? claimsIn(payloadOf(text)) ?? verifyNow(text, hash)
  }
}

function isTimely({ verifiedAt, until }: VerifiedToken<unknown>, time: number): boolean {
  return verifiedAt <= time && time < until
}

function isFlat(claims: object): boolean {
  return Object.values(claims).every((value) => typeof value !== 'object')
}

/** The claims of a JWT, not validated; `undefined` if they are not JSON. */
export function payloadOf(jwt: string): unknown {
  return decodedJson(jwt.slice(jwt.indexOf('.') + 1, jwt.lastIndexOf('.')))
}

// The checks of a signed token with only the public keys of the authorization server.

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
