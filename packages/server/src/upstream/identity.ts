import { Methods } from '../config/authentication-classes.ts'

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
  /** The authentication class and methods, if the operator trusts the provider with them. */
  readonly acr?: string | undefined
  readonly amr?: readonly string[] | undefined
}

/** From an ID token. A value of another type counts like an unknown class. */
export function authenticationIn({ acr, amr }: { readonly [claim: string]: unknown }) {
  return { acr: typeof acr === 'string' ? acr : undefined, amr: Methods.safeParse(amr).data }
}
