/** Somebody whom an OpenID provider vouches for. Issuer and subject together never pass to another person. */
export interface Identity {
  readonly issuer: string
  readonly subject: string
  /** An address that the provider has verified. One that it has not is as good as none, and is dropped. */
  readonly email?: string | undefined
  readonly name?: string | undefined
  /** When the user signed in there, in epoch seconds; the earliest it can have been if the provider does not say. */
  readonly authTime: number
  /** Whether the provider said when that was. */
  readonly saysAuthTime: boolean
}
