import { defineErrors, type ErrorDefinition, OAuthError } from '../kernel/oauth-error.ts'
import { jose } from '../tokens/jwk.ts'
import type { SigningKeys } from '../tokens/signing-keys.ts'

export const HINT_ERRORS = defineErrors({
  id_token_hint_unverified: [
    'login_required',
    'id_token_hint is not an ID token that this server can verify',
  ],
})

/** What an ID token says of a sign-in. */
export interface IdTokenHint {
  readonly subject: string
  /** The client that it was issued to. */
  readonly audience: string
  /** Epoch seconds. */
  readonly authTime?: number | undefined
}

/**
 * An `id_token_hint` (OpenID Connect Core 3.1.2.1). An expired one, or one of a retired key, still names the user.
 *
 * @param refusal for one that cannot be verified. At authorization `login_required`: the client asks for a certain user,
 *   and this could be another one
 * @throws OAuthError
 */
export async function verifiedHint(
  keys: SigningKeys,
  issuer: string,
  hint: string,
  refusal: ErrorDefinition = HINT_ERRORS.id_token_hint_unverified,
): Promise<IdTokenHint> {
  const { createLocalJWKSet, jwtVerify } = await jose()
  const { algorithms } = keys
  try {
    const keySet = createLocalJWKSet({ keys: [...keys.all().keys] })
    const options = { issuer, currentDate: new Date(0), algorithms: [...algorithms], requiredClaims: ['sub'] }
    const { payload, protectedHeader } = await jwtVerify<{ sub: string; aud: string; auth_time?: number }>(
      hint,
      keySet,
      options,
    )
    // A JWT access token has another type (RFC 9068 2.1).
    if (protectedHeader.typ !== undefined && protectedHeader.typ !== 'JWT') throw new Error('Not an ID token')
    return { subject: payload.sub, audience: payload.aud, authTime: payload.auth_time }
  } catch (cause) {
    throw new OAuthError(refusal, undefined, { cause })
  }
}
