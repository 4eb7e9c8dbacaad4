import { createLocalJWKSet, jwtVerify } from 'jose'
import { OAuthError, refusals } from '../kernel/oauth-error.ts'
import type { SigningKeys } from '../tokens/signing-keys.ts'

export const HINT_REFUSALS = refusals({
  id_token_hint_unverified: [
    'login_required',
    'id_token_hint is not an ID token that this server can verify',
  ],
})

/**
 * The subject of an `id_token_hint` (OpenID Connect Core 3.1.2.1). An expired one, or one of a retired key, still names
 * the user.
 *
 * @throws OAuthError `login_required` when it cannot be verified: the client asks for a certain user, and this could be
 *   another one
 */
export async function subjectOfHint(keys: SigningKeys, issuer: string, hint: string): Promise<string> {
  const { algorithms } = keys
  try {
    const keySet = createLocalJWKSet({ keys: [...keys.all().keys] })
    const options = { issuer, currentDate: new Date(0), algorithms: [...algorithms], requiredClaims: ['sub'] }
    const { payload } = await jwtVerify<{ sub: string }>(hint, keySet, options)
    return payload.sub
  } catch (cause) {
    throw new OAuthError(HINT_REFUSALS.id_token_hint_unverified, undefined, { cause })
  }
}
