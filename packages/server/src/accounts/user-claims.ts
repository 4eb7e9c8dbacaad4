import { displayText } from '@grantkit/core/internal'
import * as z from 'zod'

/** What an application or a directory knows about its users. */

/** `sub` of OpenID Connect Core 2: ASCII, and at most 255 characters. */
export const SUB_FORM = /^[\x21-\x7e]{1,255}$/
export const SUB_EXPECTED = 'must be 1 to 255 visible ASCII characters, without spaces'

/** The id of a user at the application; it becomes `sub`. */
export const UserId = z
  .string('sub must be a text: the id of the user at the application')
  .regex(SUB_FORM, `sub ${SUB_EXPECTED}`)

/** Those of the message, of a token and of the sign-in: they say nothing about the user (RFC 7519 4.1, OpenID Connect Core 2). */
const PROTOCOL_CLAIMS = new Set(
  'iss sub aud exp nbf iat jti nonce azp at_hash c_hash s_hash sid auth_time acr amr act cnf error'.split(
    ' ',
  ),
)

const DisplayName = z.string().transform((text) => displayText(text.slice(0, 200)))
const Email = z.email().max(254)

/**
 * The claims for UserInfo. An optional claim in a wrong format is dropped: a broken picture does not prevent the sign-in.
 *
 * @param provided everything in the response of the application, or the user of a directory
 */
export function userClaims(provided: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { name: providedName, email, email_verified, ...others } = provided
  const address = Email.safeParse(email).data
  return {
    ...otherClaims(others),
    name: DisplayName.safeParse(providedName).data || address || String(provided.sub),
    ...(address !== undefined && { email: address, email_verified: email_verified === true }),
  }
}

function otherClaims(provided: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const kept = Object.entries(provided).filter(
    ([key, value]) => !PROTOCOL_CLAIMS.has(key) && isValid(key, value),
  )
  return Object.fromEntries(kept)
}

/** A claim that OpenID Connect does not define is released only by a scope that names it. */
function isValid(key: string, value: unknown): boolean {
  const schema: z.ZodType | undefined = Object.hasOwn(ProfileClaims.shape, key)
    ? ProfileClaims.shape[key as keyof typeof ProfileClaims.shape]
    : undefined
  return value !== undefined && value !== null && (schema === undefined || schema.safeParse(value).success)
}

const text = z.string().min(1).optional()
const address = z.url({ protocol: /^https?$/ }).optional()

/** The claims of an account for the scope `profile`, without the name (OpenID Connect Core 5.1, 5.4). */
export const ProfileClaims = z.object({
  given_name: text,
  family_name: text,
  middle_name: text,
  nickname: text,
  preferred_username: text,
  profile: address,
  picture: address,
  website: address,
  gender: text,
  birthdate: z
    .string()
    .regex(/^\d{4}(-\d{2}-\d{2})?$/, 'must be YYYY-MM-DD or YYYY; the year 0000 leaves it out')
    .optional(),
  zoneinfo: z.string().refine(isTimeZone, 'must be a time zone such as Europe/Lisbon').optional(),
  locale: z.string().refine(isLocale, 'must be a language tag such as en-GB').optional(),
})

function isTimeZone(timeZone: string): boolean {
  return accepts(() => new Intl.DateTimeFormat('en', { timeZone }))
}

function isLocale(tag: string): boolean {
  return accepts(() => new Intl.Locale(tag))
}

function accepts(construct: () => unknown): boolean {
  try {
    construct()
    return true
  } catch {
    return false
  }
}
