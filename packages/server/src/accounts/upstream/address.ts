import * as z from 'zod'
import { asciiDomain, type Provider, RELAY_DOMAINS } from '../../config/providers.ts'

/** Which address of a user of a provider counts. */

export interface Claims {
  readonly [claim: string]: unknown
}

/** The claims of a validated ID token. */
export interface IdTokenClaims extends Claims {
  readonly iss: string
}

/** The claims of a provider about a user. Only the issuer and the subject are verified. */
export interface ProviderClaims {
  readonly issuer: string
  readonly subject: string
  /** Of the ID token. For GitHub and Discord: of their API, in the same words. */
  readonly idToken: Claims
  /** Of UserInfo. Absent if the ID token has the address and its verification, or if the provider has no UserInfo. */
  readonly userInfo?: Claims
}

export interface Address {
  readonly standing: AddressStanding
  /** In lower case. Only an address that counts: nothing else may be stored. */
  readonly email?: string | undefined
  /** Of the address, also if it does not count. */
  readonly domain?: string | undefined
  /** The provider made it up, so it says nothing about who the user is. */
  readonly isRelay?: boolean | undefined
}

/** An address counts, unless it is `email_unverified` or `email_missing`. */
export type AddressStanding =
  /** The provider verified it. */
  | 'verified'
  /** The provider verified it once, but others assign it: it opens no domain, and links nothing. */
  | 'verified_once'
  /** The provider does not say, or verified it once, and the operator vouches for the domain. */
  | 'vouched'
  /** The provider says that it is not verified, and the operator vouches for the domain nevertheless. */
  | 'vouched_although_false'
  | 'email_unverified'
  | 'email_missing'

const Email = z.email().max(254).toLowerCase()

/**
 * Which address of a user counts, and why none does. The address and its verification must be in the same document: a verification
 * that belongs to another address has taken accounts over.
 *
 * @param userInfo of the same `sub`
 */
export function addressIn(
  { emailsVerified }: Pick<Provider, 'emailsVerified'>,
  claims: IdTokenClaims,
  userInfo: Claims = {},
): Address {
  const documents = [claims, userInfo]
  const stated = documents.filter(({ email }) => typeof email === 'string')
  const [email, ...others] = new Set(stated.map((document) => emailIn(document.email as string)))
  if (others.length > 0) return { standing: 'email_unverified' }
  if (email === undefined) return { standing: 'email_missing' }
  const domain = email.slice(email.lastIndexOf('@') + 1)
  const isRelay =
    RELAY_DOMAINS.includes(domain) || documents.some(({ is_private_email }) => isYes(is_private_email))
  const found = { email, domain, ...(isRelay && { isRelay }) }
  const vouched = emailsVerified?.domains.includes(domain) && !isRelay
  if (documents.some((document) => verificationIn(claims.iss, document) === false))
    return vouched && emailsVerified?.evenIfFalse
      ? { standing: 'vouched_although_false', ...found }
      : { standing: 'email_unverified', domain }
  const isVerified = stated.some((document) => verificationIn(claims.iss, document))
  if (isVerified && isOfProvider(claims, domain)) return { standing: 'verified', ...found }
  if (isVerified && !vouched) return { standing: 'verified_once', ...found }
  return vouched ? { standing: 'vouched', ...found } : { standing: 'email_unverified', domain }
}

/** `undefined` if it has no form of an address. */
function emailIn(text: string): string | undefined {
  const at = text.lastIndexOf('@')
  return Email.safeParse(`${text.slice(0, at)}@${asciiDomain(text.slice(at + 1))}`).data
}

/** `undefined` if the document says nothing. Any value that is not known counts as no: `Boolean('false')` is true. */
export function verificationIn(issuer: string, { email_verified, xms_edov }: Claims): boolean | undefined {
  if (email_verified !== undefined) return isYes(email_verified)
  // Microsoft's optional claim: the tenant has proven that it owns the domain.
  if (xms_edov === undefined || !isMicrosoft(issuer)) return undefined
  return isYes(xms_edov) || xms_edov === 1 || xms_edov === '1'
}

export function isYes(value: unknown): boolean {
  return value === true || value === 'true'
}

/** Google verified any other address when its account was made, and does not learn when its owner changes. */
function isOfProvider({ iss, hd }: IdTokenClaims, domain: string): boolean {
  return !isGoogle(iss) || domain === 'gmail.com' || (typeof hd === 'string' && hd !== '')
}

export function isGoogle(issuer: string): boolean {
  return /^(https:\/\/)?accounts\.google\.com$/.test(issuer)
}

export function isMicrosoft(issuer: string): boolean {
  return /^https:\/\/(login\.(microsoftonline\.(com|us)|partner\.microsoftonline\.cn)|sts\.windows\.net|[\w-]+\.ciamlogin\.com)\//.test(
    issuer,
  )
}
