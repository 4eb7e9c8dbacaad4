import { createLocalJWKSet, decodeJwt, jwtVerify } from 'jose'
import type { GrantId } from '../kernel/secrets.ts'
import type { PresentedToken } from '../tokens/access-token.ts'
import type { SigningKeys } from '../tokens/signing-keys.ts'
import { ACCESS_TOKEN_TYPE, AccessTokenClaims, presentedIn } from './access-token-claims.ts'

const JWT = /^eyJ[\w-]+\.[\w-]+\.[\w-]+$/

/**
 * Reads tokens that this server signed, also with a key that has retired since. Whether one is live, and for which
 * resource, only its grant says.
 */
export function tokenReader(issuer: string, keys: SigningKeys) {
  const keySet = latestKeySet(keys)
  return (text: string): Promise<PresentedToken | undefined> | undefined =>
    JWT.test(text) ? verified(text) : undefined

  /** The type tells it from an ID token, though the same key signs both (RFC 9068 5). */
  async function verified(text: string): Promise<PresentedToken | undefined> {
    const algorithms = [...keys.algorithms]
    const options = { issuer, typ: ACCESS_TOKEN_TYPE, algorithms, currentDate: new Date(0) }
    const jwt = await jwtVerify(text, keySet(), options).catch(() => undefined)
    const claims = AccessTokenClaims.safeParse(jwt?.payload).data
    return claims && presentedIn(claims)
  }
}

/** The parsed keys, until the set changes. */
function latestKeySet(keys: SigningKeys) {
  let shown = keys.all()
  let parsed = createLocalJWKSet({ keys: [...shown.keys] })
  return () => {
    if (shown !== keys.all()) {
      shown = keys.all()
      parsed = createLocalJWKSet({ keys: [...shown.keys] })
    }
    return parsed
  }
}

/** The grant that a token names, without a look at its signature. */
export function claimedGrant(text: string): GrantId | undefined {
  if (!JWT.test(text)) return undefined
  try {
    const jti = AccessTokenClaims.shape.jti.safeParse(decodeJwt(text).jti).data
    return jti === undefined ? undefined : presentedIn({ jti }).grantId
  } catch {
    return undefined
  }
}
