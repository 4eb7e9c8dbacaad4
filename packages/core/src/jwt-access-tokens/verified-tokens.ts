/**
 * Verifies the signature of each token once, and not at each request: a verification takes ten times as long as everything
 * else that a guard does. What is remembered is that a key made the signature; the claims are read from the token again.
 */
import type { CryptoKey, JWTHeaderParameters, JWTVerifyResult, ResolvedKey } from 'jose'
import { sha256 } from '../kernel/secrets.ts'
import { decodedJson } from '../tokens/jwk.ts'
import type { AccessTokenClaims } from './access-token-claims.ts'
import { recentlyUsed } from './recently-used.ts'

/** In seconds. Signed tokens of this server live no longer. */
const MAX_AGE = 600
/** About 4 MB. */
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
interface VerifiedToken {
  readonly header: JWTHeaderParameters
  readonly key: ResolvedKey['key']
  /** Epoch seconds. Before this time the clock has gone back, so what depends on the clock is checked again. */
  readonly verifiedAt: number
  readonly until: number
}

/** Verifies tokens, and remembers the valid ones. Rejects as `verify` and `keyFor` do. */
export function verifiedOnce<Claims extends AccessTokenClaims>({
  keyFor,
  verify,
  claimsIn,
  now,
  maxTokens = MAX_TOKENS,
}: Verification<Claims>): (text: string) => Promise<Claims> {
  const tokens = recentlyUsed<VerifiedToken>(maxTokens)

  /** The key set is asked each time: it may have to be fetched again, and may no longer have the key. */
  async function isVerified({ header, key, verifiedAt, until }: VerifiedToken): Promise<boolean> {
    const time = now()
    return verifiedAt <= time && time < until && key === (await keyFor(header))
  }

  return async (text) => {
    const hash = sha256(text)
    const token = tokens.get(hash)
    const known = token && (await isVerified(token)) ? claimsIn(payloadOf(text)) : undefined
    if (known !== undefined) return known
    const { claims, protectedHeader: header, key } = await verify(text)
    const verifiedAt = now()
    tokens.set(hash, { header, key, verifiedAt, until: Math.min(claims.exp, verifiedAt + MAX_AGE) })
    return claims
  }
}

function payloadOf(jwt: string): unknown {
  return decodedJson(jwt.slice(jwt.indexOf('.') + 1, jwt.lastIndexOf('.')))
}
