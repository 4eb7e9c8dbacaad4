/** Reading of signed tokens where the grant is known: at the authorization server and in a guard with the store. */
import { createLocalJWKSet, jwtVerify } from 'jose'
import type { GrantId } from '../../kernel/secrets.ts'
import type { PresentedToken } from '../../tokens/credential.ts'
import { requireWrongSignature } from '../../tokens/jws-signature.ts'
import type { SigningKeys } from '../../tokens/signing-keys.ts'
import { ACCESS_TOKEN_TYPE, AccessTokenClaims, presentedIn, requiredClaims } from './access-token-claims.ts'
import { payloadOf, verifiedOnce } from './verified-tokens.ts'

const JWT = /^eyJ[\w-]+\.[\w-]+\.[\w-]+$/

/**
 * Reads tokens that this server signed, also with a key that has retired since. Whether a token is live, and for which
 * resource, is in its grant.
 *
 * @param now epoch seconds
 */
export function tokenReader(issuer: string, keys: SigningKeys, now: () => number) {
  const keySet = latestKeySet(keys)
  const claimsIn = (payload: unknown) => AccessTokenClaims.safeParse(payload).data
  const verified = verifiedOnce({ keyFor: (header) => keySet()(header), verify, claimsIn, now })
  return (text: string): Promise<PresentedToken | undefined> | undefined =>
    JWT.test(text) ? verified(text).then(presentedIn, (error) => refused(error, text)) : undefined

  /** `typ` distinguishes it from an ID token that the same key signed (RFC 9068 5). */
  async function verify(text: string) {
    const algorithms = [...keys.algorithms]
    const options = { issuer, typ: ACCESS_TOKEN_TYPE, algorithms, currentDate: new Date(0) }
    const { payload, ...result } = await jwtVerify(text, keySet(), options)
    return { ...result, claims: requiredClaims(claimsIn(payload)) }
  }
}

async function refused(error: unknown, text: string): Promise<undefined> {
  await requireWrongSignature(error, text)
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

/** The grant that a token names. Its signature is not verified. */
export function claimedGrant(text: string): GrantId | undefined {
  if (!JWT.test(text)) return undefined
  const jti = AccessTokenClaims.shape.jti.safeParse(Object(payloadOf(text)).jti).data
  return jti === undefined ? undefined : presentedIn({ jti }).grantId
}
