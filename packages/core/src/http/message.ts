import { z } from 'zod'
import { defineErrors, type ErrorDefinition, OAuthError } from '../kernel/oauth-error.ts'

export const MESSAGE_ERRORS = defineErrors({
  message_invalid: ['invalid_request', 'The request is malformed'],
})

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
 * @param refusalOf the refusal for a faulty parameter
 * @throws OAuthError that names the first faulty parameter
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
  refusalOf: (parameter: string) => ErrorDefinition = () => MESSAGE_ERRORS.message_invalid,
): z.output<Schema> {
  const parsed = schema.safeParse(input)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw new OAuthError(refusalOf(String(issue?.path[0])), issue && faultOf(issue, input))
}

function faultOf(issue: z.core.$ZodIssue, input: unknown): string {
  const name = issue.path.map(String).join('.').slice(0, 100)
  if (name === '') return 'The body must be a JSON object'
  const value = Object(input)[String(issue.path[0])]
  if (value === undefined) return `${name} is missing`
  const repeated = issue.code === 'invalid_type' && issue.path.length === 1 && Array.isArray(value)
  if (repeated) return `${name} must not be repeated`
  return `${name}: ${issue.message}`
}
