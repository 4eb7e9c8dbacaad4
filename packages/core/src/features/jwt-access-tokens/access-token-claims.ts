import { errors } from 'jose'
import * as z from 'zod'
import { holderOf } from '../../grants/grant.ts'
import type { AccessTokenState, Grant } from '../../kernel/records.ts'
import type { GrantId, Hash } from '../../kernel/secrets.ts'
import type { PresentedToken } from '../../tokens/credential.ts'

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

/** The parts of a `jti`. */
export function presentedIn({ jti }: Pick<AccessTokenClaims, 'jti'>): PresentedToken {
  const [grantId, hash] = jti.split('.')
  return { grantId: grantId as GrantId, hash: hash as Hash }
}
