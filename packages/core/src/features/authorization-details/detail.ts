import * as z from 'zod'
import { displayText } from '../../kernel/display-text.ts'
import { defineErrors, OAuthError, withCode } from '../../kernel/oauth-error.ts'

/** One of `authorization_details` (RFC 9396 2): what is allowed, in the fields of its type. */
export interface AuthorizationDetail {
  readonly type: string
  /** The resources for which it counts, if its type has this field (RFC 9396 2.2). Default: every one. */
  readonly locations?: readonly string[] | undefined
  readonly [field: string]: unknown
}

/** A type that the operator knows. */
export interface DetailType {
  /** Its fields beside `type`, as plain JSON. A field that it does not have is refused, and so are those of objects in it that are strict. */
  readonly schema: z.ZodObject
  /**
   * One sentence for the user about checked fields, such as `Pay 12.50 EUR to Example Shop`. Text, never HTML; what is beyond 300
   * characters is cut. A name that the client sent is only its claim: say so.
   *
   * @param locale the language of the page
   */
  describe(detail: AuthorizationDetail, locale: string): string
  /**
   * Whether what was granted covers what is asked for: a token with less, or an operation at an API. Default: only the same. Tokens
   * of a type with `uses` are never narrowed by it.
   */
  within?(granted: AuthorizationDetail, asked: AuthorizationDetail): boolean
  /** Clients that registered themselves, or that a document describes, may ask for it. Default: false. */
  readonly selfRegistered?: boolean | undefined
  /** How often it is good for an operation that `DetailGuard.spend` counts. Default: as long as the token lives. */
  readonly uses?: DetailUses | undefined
}

/**
 * `once`: for one operation. Otherwise the field is a budget, in whole units such as cents: the sum of all operations of the grant, or
 * of those of a day (UTC), is at most what was granted.
 */
export type DetailUses = 'once' | { readonly budget: string; readonly per: 'grant' | 'day' }

export type DetailTypes = Readonly<Record<string, DetailType>>

export const DETAIL_ERRORS = defineErrors({
  ...withCode('invalid_authorization_details', {
    details_unreadable:
      'authorization_details must be a JSON array of 1 to 8 objects with a type, at most 4096 bytes',
    detail_type_unknown:
      'authorization_details has an unknown type. See authorization_details_types_supported',
    detail_type_not_allowed: 'The client may not ask for this type of authorization_details',
    detail_invalid: 'authorization_details has an object with a missing, unknown or wrong field',
    detail_repeated: 'authorization_details has the same object twice',
    details_not_granted: 'authorization_details has an object that the user has not allowed',
  }),
  details_not_shown: [
    'invalid_request',
    'The form does not say what the page has shown. Open the request again in the application',
  ],
  detail_missing: [
    'insufficient_authorization',
    'The user has not allowed this operation. Ask for it by authorization_details',
    403,
  ],
  detail_used_up: [
    'insufficient_authorization',
    'What the user allowed is used up. Ask for it again by authorization_details',
    403,
  ],
})

const MAX_BYTES = 4096
const MAX_DETAILS = 8
const Details = z
  .array(z.looseObject({ type: z.string() }))
  .min(1)
  .max(MAX_DETAILS)

/**
 * The details in a parameter, with the fields that their types know.
 *
 * @throws OAuthError `invalid_authorization_details` (RFC 9396 5)
 */
export function readDetails(types: DetailTypes, sent: string): readonly AuthorizationDetail[] {
  const read = Buffer.byteLength(sent) > MAX_BYTES ? undefined : Details.safeParse(json(sent)).data
  if (read === undefined) throw new OAuthError(DETAIL_ERRORS.details_unreadable)
  const details = read.map((detail) => checkedDetail(types, detail))
  if (details.some((detail, index) => details.findIndex((other) => same(other, detail)) !== index))
    throw new OAuthError(DETAIL_ERRORS.detail_repeated)
  // A schema may fill in fields.
  if (Buffer.byteLength(JSON.stringify(details)) > MAX_BYTES)
    throw new OAuthError(DETAIL_ERRORS.details_unreadable)
  return details
}

/** @throws OAuthError `invalid_authorization_details` */
export function checkedDetail(
  types: DetailTypes,
  { type, ...fields }: AuthorizationDetail,
): AuthorizationDetail {
  const known = typeOf(types, type)
  if (known === undefined) throw new OAuthError(DETAIL_ERRORS.detail_type_unknown)
  const checked = known.schema.strict().safeParse(fields)
  const detail = { type, ...checked.data }
  if (!checked.success || !hasBudget(known, detail)) throw new OAuthError(DETAIL_ERRORS.detail_invalid)
  return detail
}

/** A budget counts whole units: sums of fractions are not exact. */
function hasBudget({ uses }: DetailType, detail: AuthorizationDetail): boolean {
  return typeof uses !== 'object' || amountOf(uses, detail) !== undefined
}

/** @returns `undefined` for what is no whole number from 1 */
export function amountOf(
  { budget }: { readonly budget: string },
  detail: AuthorizationDetail,
): number | undefined {
  const amount = detail[budget]
  return Number.isSafeInteger(amount) && Number(amount) > 0 ? Number(amount) : undefined
}

function json(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** No name of a request hits an inherited member. */
export function typeOf(types: DetailTypes, name: string): DetailType | undefined {
  return Object.hasOwn(types, name) ? types[name] : undefined
}

/** Checked details have their fields in the order of the schema. */
export function same(one: AuthorizationDetail, other: AuthorizationDetail): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

/** Whether one detail covers another one of its type. */
export function covers(
  types: DetailTypes,
  granted: AuthorizationDetail,
  asked: AuthorizationDetail,
): boolean {
  if (granted.type !== asked.type) return false
  const within = typeOf(types, granted.type)?.within
  return within === undefined ? same(granted, asked) : within(granted, asked)
}

const MAX_SENTENCE = 300

/** What the page says about a detail. */
export function sentenceOf(types: DetailTypes, detail: AuthorizationDetail, locale: string): string {
  const sentence = displayText(typeOf(types, detail.type)?.describe(detail, locale) ?? '')
  if (sentence === '') throw new Error(`authorizationDetails: describe of ${detail.type} returns no text`)
  const characters = [...sentence]
  return characters.length > MAX_SENTENCE ? `${characters.slice(0, MAX_SENTENCE - 1).join('')}…` : sentence
}
