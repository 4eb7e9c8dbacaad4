import { defineErrors, OAuthError } from './oauth-error.ts'

export const SUBJECT_ERRORS = defineErrors({
  subject_gone: [
    'invalid_grant',
    'The user of this grant no longer exists, so its tokens are revoked. Discard them',
  ],
  claims_unavailable: [
    'temporarily_unavailable',
    'The server cannot look up the user at the moment. Try again',
  ],
})

/** Claims about a user (OpenID Connect Core 5.1), without `sub`, which core adds. */
export type UserClaims = Readonly<Record<string, unknown>>

export type Claims = (subject: string) => Promise<UserClaims | undefined>

export interface SubjectOptions {
  /**
   * The claims of a user (OpenID Connect Core 5.1), of which the granted scopes open some; `undefined` if the user is gone
   * or disabled. A refresh calls it too, and ends the grants of a user who is gone. Required with the scope `openid`.
   */
  readonly claims?: Claims | undefined
}

/** The claims of a user, from the application. @throws OAuthError `temporarily_unavailable` when that fails */
export async function claimsAbout(claims: Claims, subject: string): Promise<UserClaims | undefined> {
  try {
    return await claims(subject)
  } catch (cause) {
    throw new OAuthError(SUBJECT_ERRORS.claims_unavailable, undefined, { cause })
  }
}
