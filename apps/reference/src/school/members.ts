import { displayText } from '@grantkit/core/internal'
import * as z from 'zod'

/** Schemas of the members of records. Each has a maximum length, because pages and documents show records publicly. */

/** No control characters: databases reject NUL, and pages show none of them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are rejected
const LINE = /^[^\u0000-\u001f\u007f-\u009f]+$/
// biome-ignore lint/suspicious/noControlCharactersInRegex: the same, except tabs and line breaks
const LINES = /^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]*$/

export const line = z
  .string()
  .max(200)
  .regex(LINE, 'must be one line of text')
  .overwrite(displayText)
  .refine((text) => text !== '', 'must be one line of text')
export const lines = z.string().max(20_000).regex(LINES, 'must not have control characters')
export const list = z.array(line).max(100)
export const count = z.int().min(0).max(1_000_000_000)
export const day = z.iso.date('must be a day such as 2027-02-28')
export const moment = z.iso.datetime({ offset: true, error: 'must be a moment such as 2026-12-04T18:00:00Z' })
export const published = z.boolean().describe('Whether it is public')
/** The id of a record in another area. */
export const reference = z.string().regex(/^[\w-]{1,64}$/, 'must be the id of an item')
/** The last part of a page's address. */
export const slug = z
  .string()
  .max(64)
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'must be words in small letters, joined by hyphens')
export const language = z
  .string()
  .max(35)
  .regex(/^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$/, 'must be a language tag such as en-GB')
export const email = z
  .string()
  .max(254)
  .regex(/^[\w.+-]+@[\w-]+(\.[\w-]+)+$/, 'must be an e-mail address')

const MONEY = {
  amount: count.describe('In hundredths of the currency, as cents'),
  currency: z.string().regex(/^[A-Z]{3}$/, 'must be three letters of ISO 4217 such as EUR'),
}
export const money = z.strictObject(MONEY)
export const recurring = z.strictObject({ ...MONEY, per: z.enum(['month', 'year']) })
