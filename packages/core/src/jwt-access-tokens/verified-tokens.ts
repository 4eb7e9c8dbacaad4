/**
 * Verifies each token once, and not at each request: a signature takes ten times as long as everything else that a guard does.
 */
import type { CryptoKey, JWTHeaderParameters, JWTVerifyResult, ResolvedKey } from 'jose'
import { sha256 } from '../kernel/secrets.ts'
import { decodedJson } from '../tokens/jwk.ts'
import type { AccessTokenClaims } from './access-token-claims.ts'
import { recentlyUsed } from './recently-used.ts'

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
  const tokens = recentlyUsed<VerifiedToken<Claims>>(maxTokens)

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
