import type { Hono, MiddlewareHandler } from 'hono'
import { findTargetHandler } from 'hono/utils/handler'
import { z } from 'zod'

/** A part of the document, as JSON. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json }

/** An operation of OpenAPI 3.0 (4.7.10). */
export interface Description {
  readonly operationId: string
  readonly tag: Tag
  readonly summary: string
  readonly description?: string | undefined
  readonly security?: readonly Json[] | undefined
  readonly parameters?: readonly Json[] | undefined
  readonly requestBody?: Json | undefined
  readonly responses: { readonly [status: string]: Json }
}

/** One method of one path. */
export interface Operation extends Description {
  readonly path: string
  readonly method: 'get' | 'post' | 'patch' | 'delete'
}

/** The security requirement of public operations. */
export function forAnybody(
  tag: Tag,
  operationId: string,
  summary: string,
  responses: Description['responses'],
): Description {
  return { operationId, tag, summary, security: [{}], responses }
}

const DESCRIPTION = Symbol('OpenAPI description')

/** A middleware that describes the route behind it. It does nothing at run time. */
export function describe(description: Description): MiddlewareHandler {
  const passBy: MiddlewareHandler = (_c, next) => next()
  return Object.assign(passBy, { [DESCRIPTION]: description })
}

/** The operations of an application: its described routes, with their methods and paths. */
// biome-ignore lint/suspicious/noExplicitAny: any variables of its handlers
export function operationsOf(app: Hono<any>): Operation[] {
  return app.routes.flatMap(({ path, method, handler }) => {
    const { [DESCRIPTION]: description } = findTargetHandler(handler) as { [DESCRIPTION]?: Description }
    if (description === undefined) return []
    const operation = { path: path.replace(/:(\w+)/g, '{$1}'), method: method.toLowerCase(), ...description }
    return [operation as Operation]
  })
}

export const TAGS = {
  OAuth: 'Register, authorize, exchange, refresh, revoke.',
  Discovery: 'Metadata documents for clients.',
  School: 'The areas of the school, each guarded by its scopes.',
  Pages: 'What a person sees in a browser.',
  Health: 'For operators.',
} as const
type Tag = keyof typeof TAGS

/** A schema of zod as an OpenAPI 3.0 schema object. @param io the input or the output side of its transformations */
export function schemaOf(schema: z.ZodType, io: 'input' | 'output' = 'input'): Json {
  const { $schema: _, ...described } = z.toJSONSchema(schema, {
    target: 'openapi-3.0',
    io,
    unrepresentable: 'any',
  })
  return described as Json
}

export function ref(schema: string): Json {
  return { $ref: `#/components/schemas/${schema}` }
}

export function jsonAnswer(description: string, schema: Json, example?: Json): Json {
  return {
    description,
    content: { 'application/json': { schema, ...(example === undefined ? {} : { example }) } },
  }
}

export function textAnswer(description: string, mediaType: string): Json {
  return { description, content: { [mediaType]: { schema: { type: 'string' } } } }
}

export function errorAnswer(description: string, error: string, errorDescription: string): Json {
  return jsonAnswer(description, ref('Error'), { error, error_description: errorDescription })
}

/** An error with a challenge that links to the resource metadata (RFC 6750 3, RFC 9728 5.1). */
export function challengeAnswer(description: string, error: string, errorDescription: string): Json {
  const answer = errorAnswer(description, error, errorDescription) as { readonly [name: string]: Json }
  return {
    ...answer,
    headers: { 'WWW-Authenticate': { description: 'A Bearer challenge', schema: { type: 'string' } } },
  }
}

export function redirectAnswer(description: string): Json {
  return { description, headers: { Location: { description: 'Where to go on', schema: { type: 'string' } } } }
}

/** The error of a rate limit (RFC 6585 4). */
export const TOO_MANY: Json = {
  ...(errorAnswer(
    'Too many registrations from this address, or failed requests of this client from there',
    'temporarily_unavailable',
    'Too many requests of this client failed; try again later',
  ) as { readonly [name: string]: Json }),
  headers: { 'Retry-After': { description: 'Seconds to wait', schema: { type: 'integer' } } },
}

export const UNAVAILABLE = errorAnswer('The store cannot be reached', 'temporarily_unavailable', 'Try again')

export function jsonBody(schema: Json, example: Json): Json {
  return { required: true, content: { 'application/json': { schema, example } } }
}

export function formBody(schema: Json): Json {
  return { required: true, content: { 'application/x-www-form-urlencoded': { schema } } }
}
