/** A user whom an OpenID provider authenticated. Issuer and subject together are never reused for another person. */
export interface Identity {
  readonly issuer: string
  readonly subject: string
  /** An address that the provider has verified. An unverified address is dropped. */
  readonly email?: string | undefined
  readonly name?: string | undefined
  /** The time of the sign-in at the provider, in epoch seconds; the earliest possible time without `auth_time`. */
  readonly authTime: number
  /** Whether the provider returned `auth_time`. */
  readonly saysAuthTime: boolean
}
