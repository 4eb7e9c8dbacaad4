/** Reading of messages: a query, a form or a JSON body becomes parameters, and a schema reads these. */
import * as z from 'zod'
import { type ErrorDefinition, OAuthError } from '../kernel/oauth-error.ts'
import { MESSAGE_ERRORS } from './endpoint.ts'
import type { HttpRequest } from './http.ts'

/** No request needs more, and thousands of names take milliseconds to sort. */
const MAX_PARAMETERS = 100

/** Parameters by name. A repeated one is an array; one without a value is absent (RFC 6749 3.1). */
export type Parameters = Readonly<Record<string, string | string[]>>

/** The empty prototype of parameters: no name in a request hits an inherited member. A `null` prototype is slow. */
const NOTHING = Object.freeze(Object.create(null))

/** The pairs of `application/x-www-form-urlencoded` text. @throws OAuthError for more than 100 */
export function pairsOf(encoded: string): URLSearchParams {
  let separators = 0
  // Before anything is decoded or allocated, and no further than it must.
  for (let at = encoded.indexOf('&'); at >= 0; at = encoded.indexOf('&', at + 1))
    if (++separators === MAX_PARAMETERS) throw new OAuthError(MESSAGE_ERRORS.parameters_too_many)
  return new URLSearchParams(encoded)
}

/**
 * Decodes `application/x-www-form-urlencoded` text, also from a query string.
 *
 * @throws OAuthError for more than 100
 *
 * @example
 * ```ts
 * import { parameters } from '@grantkit/core/feature'
 *
 * const { scope, resource } = parameters('scope=notes%3Aread&resource=a&resource=b')
 * // scope: 'notes:read', resource: ['a', 'b']
 * ```
 */
export function parameters(encoded: string): Parameters {
  const found: Record<string, string | string[]> = Object.create(NOTHING)
  pairsOf(encoded).forEach((value, name) => {
    const earlier = found[name]
    if (earlier === undefined) found[name] = value
    else if (typeof earlier === 'string') found[name] = [earlier, value]
    else earlier.push(value)
  })
  for (const name in found) if (found[name] === '') delete found[name]
  return found
}

export const FORM = 'application/x-www-form-urlencoded'

/** The parameters of a form body. @throws OAuthError 415 for any other media type, 400 for more than 100 */
export function formParameters(request: HttpRequest): Parameters {
  requireMediaType(request, FORM)
  return parameters(request.body)
}

/** The value of a JSON body. @throws OAuthError 415 for any other media type, 400 for text that is not JSON. */
export function jsonBody(request: HttpRequest): unknown {
  requireMediaType(request, 'application/json')
  try {
    return JSON.parse(request.body)
  } catch {
    throw new OAuthError(MESSAGE_ERRORS.body_unreadable, 'The body is not valid JSON')
  }
}

/** @throws OAuthError 415 for another media type, or for text that is not UTF-8 */
export function requireMediaType(request: HttpRequest, expected: string): void {
  const sent = String(request.headers['content-type'] ?? '')
  if (sent === expected) return
  const [essence = '', ...attributes] = sent.toLowerCase().split(';')
  const charset = attributes.map((attribute) => attribute.trim()).find((text) => text.startsWith('charset='))
  const utf8 = charset === undefined || /^charset="?utf-?8"?$/.test(charset)
  if (essence.trim() !== expected || !utf8) {
    const detail = `Unsupported Content-Type. Send ${expected} in UTF-8`
    const parameters = { mediaType: expected }
    throw new OAuthError(MESSAGE_ERRORS.media_type_unsupported, detail, { parameters })
  }
}

const MAX_TEXT_LENGTH = 4000

/** Text of bounded length, so that later rules need not check it. */
export function text(longest = MAX_TEXT_LENGTH): z.ZodString {
  return z.string().max(longest, `must be at most ${longest} characters`)
}

/** A list of bounded length. */
export function listOf<Item extends z.ZodType>(item: Item, most: number): z.ZodArray<Item> {
  return z.array(item).max(most, `must be at most ${most}`)
}

const MAX_RESOURCES = 20

/** The only parameter that may be repeated (RFC 8707 2). */
export const ResourceParameter = z
  .union([z.string(), z.array(z.string())])
  .optional()
  .transform((value) => (value === undefined ? [] : [value].flat()))
  .pipe(listOf(text(), MAX_RESOURCES))

/**
 * Reads a message by its schema. Unknown parameters are ignored (RFC 6749 3.1). A repeated parameter is an array, so a
 * schema that expects a string refuses it.
 *
 * @param errorOf the error for an invalid parameter
 * @throws OAuthError that names the first invalid parameter
 *
 * @example
 * ```ts
 * import type { HttpRequest } from '@grantkit/core'
 * import { formParameters, readMessage } from '@grantkit/core/feature'
 * import * as z from 'zod'
 *
 * const StatusRequest = z.object({ job: z.string() })
 * export const jobIn = (request: HttpRequest) => readMessage(StatusRequest, formParameters(request)).job
 * ```
 */
export function readMessage<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
  errorOf: (parameter: string) => ErrorDefinition = () => MESSAGE_ERRORS.message_invalid,
): z.output<Schema> {
  const parsed = schema.safeParse(input)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const parameter = String(issue?.path[0] ?? '').slice(0, 100)
  throw new OAuthError(errorOf(String(issue?.path[0])), issue && faultOf(issue, input), {
    parameters: parameter === '' ? {} : { parameter },
  })
}

function faultOf(issue: z.core.$ZodIssue, input: unknown): string {
  const name = issue.path.map(String).join('.').slice(0, 100)
  if (name === '') return 'The body must be a JSON object'
  const value = Object(input)[String(issue.path[0])]
  if (value === undefined) return `${name} is missing`
  // Parameters have no prototype, and a member of JSON is an array without being repeated.
  const isParameter = issue.path.length === 1 && !(input instanceof Object)
  const repeated = issue.code === 'invalid_type' && isParameter && Array.isArray(value)
  if (repeated) return `${name} must not be repeated`
  return `${name}: ${issue.message}`
}
