import * as z from 'zod'

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
