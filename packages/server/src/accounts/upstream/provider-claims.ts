export type Claims = { readonly [claim: string]: unknown }

/** What a provider says of the user whom it signed in. Nothing but the issuer and the subject is verified. */
export interface ProviderClaims {
  readonly issuer: string
  readonly subject: string
  /** Of the ID token. For GitHub and Discord: of their API, in the same words. */
  readonly idToken: Claims
  /** Of UserInfo. Absent if the ID token has the address and its verification, or if the provider has no UserInfo. */
  readonly userInfo?: Claims
}
