/**
 * The claims of a JWT access token (RFC 9068 2.2), and its verification: once for each token, and not at each request, since a
 * signature takes ten times as long as everything else that a guard does.
 */
import { type CryptoKey, errors, type JWTHeaderParameters, type ResolvedKey } from 'jose'
import * as z from 'zod'
import { holderOf } from '../../grants/grant.ts'
import { RecentlyUsed } from '../../kernel/recently-used.ts'
import type { AccessTokenState, Grant } from '../../kernel/records.ts'
import { type GrantId, type Hash, sha256 } from '../../kernel/secrets.ts'
import type { PresentedToken } from '../../tokens/credential.ts'
import { decodedJson } from '../../tokens/jwk.ts'

/** The `typ` of a JWT access token (RFC 9068 2.1). An ID token has another one. */
export const ACCESS_TOKEN_TYPE = 'at+jwt'

const seconds = z.number().int().nonnegative()

/** The client that the token was exchanged for (RFC 8693 4.1). */
const Actor = z.object({
  sub: z.string(),
  get act() {
    return Actor.optional()
  },
})

/**
 * The claims of the protocol in a JWT access token (RFC 9068 2.2). Any API can read them, so `sub` is the only one about the
 * user. Claims of the option `tokenClaims` come next to them.
 */
export const AccessTokenClaims = z.object({
  iss: z.string(),
  sub: z.string(),
  aud: z.string(),
  client_id: z.string(),
  iat: seconds,
  exp: seconds,
  /** The grant, and the hash under which it stores the token. Neither is a secret. */
  jti: z.string().regex(/^[\w-]{22}\.[\w-]{43}$/),
  scope: z.string(),
  auth_time: seconds.optional(),
  /** The class of the user's sign-in (RFC 9470 6.1). */
  acr: z.string().optional(),
  act: Actor.optional(),
  /** The thumbprint of the key that it is bound to (RFC 9449 6.1). */
  cnf: z.object({ jkt: z.string() }).optional(),
})
export type AccessTokenClaims = z.infer<typeof AccessTokenClaims>

/** @param audience the one resource that the token is bound to */
export function claimsOf(
  issuer: string,
  audience: string,
  grant: Grant,
  token: AccessTokenState,
): AccessTokenClaims {
  const { id, subject, clientId, authTime } = grant
  const { hash, scopes, issuedAt, expiresAt, actor, jkt } = token
  return {
    iss: issuer,
    // `sub` of a client-credentials token is the client (RFC 9068 2.2).
    sub: subject ?? clientId,
    aud: audience,
    client_id: holderOf(grant, token),
    iat: issuedAt,
    exp: expiresAt,
    jti: `${id}.${hash}`,
    scope: scopes.join(' '),
    auth_time: authTime,
    act: actor,
    ...(jkt === undefined ? undefined : { cnf: { jkt } }),
  }
}

/** @throws JWTInvalid */
export function requiredClaims<Claims extends AccessTokenClaims>(claims: Claims | undefined): Claims {
  if (claims === undefined) throw new errors.JWTInvalid('The claims are not those of RFC 9068 2.2')
  return claims
}

export function presentedIn(jti: string): PresentedToken {
  const [grantId, hash] = jti.split('.')
  return { grantId: grantId as GrantId, hash: hash as Hash }
}

/** In seconds. Signed tokens of this server live no longer. */
const MAX_AGE = 600
/** About 8 MB. */
const MAX_TOKENS = 10_000

export interface Verification<Claims extends AccessTokenClaims> {
  /** The key of a header, from the current key set. Rejects if there is none. */
  readonly keyFor: (header: JWTHeaderParameters) => Promise<CryptoKey>
  /** Makes all checks. Rejects if one fails. */
  readonly verify: (
    text: string,
  ) => Promise<{ claims: Claims; protectedHeader: JWTHeaderParameters; key: ResolvedKey['key'] }>
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
    const time = now()
    if (token === undefined || time < token.verifiedAt || time >= token.until) return verifyNow(text, hash)
    // The key set is read each time: it may have to be fetched again, and may no longer have the key.
    const key = await keyFor(token.header)
    if (key !== token.key) return verifyNow(text, hash)
    return token.claims ?? claimsIn(payloadOf(text)) ?? verifyNow(text, hash)
  }
}

function isFlat(claims: object): boolean {
  return Object.values(claims).every((value) => typeof value !== 'object')
}

/** The claims of a JWT, not validated; `undefined` if they are not JSON. */
export function payloadOf(jwt: string): unknown {
  return decodedJson(jwt.slice(jwt.indexOf('.') + 1, jwt.lastIndexOf('.')))
}
