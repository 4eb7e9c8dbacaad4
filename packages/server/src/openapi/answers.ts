import { type RouteConfig, z } from '@hono/zod-openapi'

/** What operations answer and read, for their descriptions. */

type Answers = RouteConfig['responses']
type Content = NonNullable<Exclude<Answers[string], { readonly $ref: string }>['content']>
/** A schema of zod, or one of OpenAPI 3.0. */
export type Schema = NonNullable<
  Extract<NonNullable<Content[string]>, { readonly schema?: unknown }>['schema']
>

const ErrorAnswer = z.strictObject({ error: z.string(), error_description: z.string() }).openapi('Error')

/** Gives a schema a name: the document has it once, and refers to it. */
export function named<Named extends z.ZodType>(name: string, schema: Named): Named {
  // Only schemas that were made after the import of the library have its methods.
  return schema.clone().openapi(name)
}

export function jsonAnswer(description: string, schema: Schema, example?: unknown) {
  return {
    description,
    content: { 'application/json': { schema, ...(example !== undefined && { example }) } },
  }
}

export function textAnswer(description: string, mediaType: string) {
  return { description, content: { [mediaType]: { schema: { type: 'string' } as const } } }
}

export function redirectAnswer(description: string) {
  return { description, headers: { Location: header('Where to go on') } }
}

/** The answers of a page: 303 is a redirect, and every other status a page. */
export function pageAnswers(answers: Readonly<Record<number, string>>): Answers {
  return Object.fromEntries(
    Object.entries(answers).map(([status, description]) => [
      status,
      status === '303' ? redirectAnswer(description) : textAnswer(description, 'text/html'),
    ]),
  )
}

export function errorAnswer(description: string, error: string, error_description: string) {
  return jsonAnswer(description, ErrorAnswer, { error, error_description })
}

/** An error with a challenge that links to the resource metadata (RFC 6750 3, RFC 9728 5.1). */
export function challengeAnswer(description: string, error: string, errorDescription: string) {
  const headers = { 'WWW-Authenticate': header('A Bearer challenge') }
  return { ...errorAnswer(description, error, errorDescription), headers }
}

function header(description: string, type: 'string' | 'integer' = 'string') {
  return { description, schema: { type } }
}

export function jsonBody(schema: Schema, example: unknown) {
  return { required: true, content: { 'application/json': { schema, example } } }
}

export function formBody(schema: Schema, required = true) {
  return { required, content: { 'application/x-www-form-urlencoded': { schema } } }
}

/** The schema of a form of texts. */
export function texts(names: readonly string[], required: readonly string[] = []) {
  const properties = Object.fromEntries(names.map((name) => [name, { type: 'string' }] as const))
  return { type: 'object', properties, ...(required.length > 0 && { required: [...required] }) } as const
}

export const UNAVAILABLE = errorAnswer('The store cannot be reached', 'temporarily_unavailable', 'Try again')
/** The error of a rate limit (RFC 6585 4). */
export const TOO_MANY = {
  ...errorAnswer(
    'Too many registrations from this address, or failed requests of this client from there',
    'temporarily_unavailable',
    'Too many requests of this client failed; try again later',
  ),
  headers: { 'Retry-After': header('Seconds to wait', 'integer') },
}
const TOO_LARGE = errorAnswer('The body is too large', 'invalid_request', 'The body is larger than 64 KiB')
export const HEADERS_TOO_LARGE = errorAnswer(
  'The query is larger than 16 KiB together with the headers',
  'invalid_request',
  'This is not an HTTP request',
)
const FORM_ERRORS = {
  413: TOO_LARGE,
  415: textAnswer('A page: another media type', 'text/html'),
  431: HEADERS_TOO_LARGE,
}
/** The answers to the form of a page. */
export function formAnswers(answers: Readonly<Record<number, string>>): Answers {
  return { ...pageAnswers(answers), ...FORM_ERRORS }
}
/** The errors of every endpoint that reads a body. */
export const BODY_ERRORS = {
  413: TOO_LARGE,
  415: errorAnswer(
    'Another media type',
    'invalid_request',
    'The body must be application/x-www-form-urlencoded in UTF-8',
  ),
  429: TOO_MANY,
  503: UNAVAILABLE,
}
export const CLIENT_REFUSED = errorAnswer(
  'The client is unknown or did not authenticate',
  'invalid_client',
  'The client secret is wrong',
)
/** The errors of a guard. @param lacking what a token without the scope is told to lack */
export function guardErrors(lacking: string) {
  const error = 'The access token is unknown, expired or revoked'
  return {
    401: challengeAnswer('The token is not valid', 'invalid_token', error),
    403: challengeAnswer(lacking, 'insufficient_scope', 'The access token lacks a scope that this needs'),
    503: UNAVAILABLE,
  }
}
