/** Somebody whom an OpenID provider vouches for. Issuer and subject together never pass to another person. */
export interface Identity {
  readonly issuer: string
  readonly subject: string
  readonly email?: string | undefined
  readonly emailVerified: boolean
  readonly name?: string | undefined
  /** When the user signed in there, in epoch seconds; the earliest it can have been if the provider does not say. */
  readonly authTime: number
}
