import type { Hono, MiddlewareHandler } from 'hono'
import { findTargetHandler } from 'hono/utils/handler'
import { z } from 'zod'

/** A part of the document: plain JSON. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json }

/** What a route does, as OpenAPI 3.0 describes it (4.7.10). */
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

/** What anybody may ask for. */
export function forAnybody(
  tag: Tag,
  operationId: string,
  summary: string,
  responses: Description['responses'],
): Description {
  return { operationId, tag, summary, security: [{}], responses }
}

const DESCRIPTION = Symbol('OpenAPI description')

/** Describes the route that it is put in front of. A request passes it by. */
export function describe(description: Description): MiddlewareHandler {
  const passBy: MiddlewareHandler = (_c, next) => next()
  return Object.assign(passBy, { [DESCRIPTION]: description })
}

/** The operations of an application: its described routes, with the methods and paths that they are mounted at. */
// biome-ignore lint/suspicious/noExplicitAny: whatever its handlers share
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
  Discovery: 'Documents that machines read first.',
  School: 'The areas of the school, each guarded by its scopes.',
  Pages: 'What a person sees in a browser.',
  Health: 'For whoever runs the service.',
} as const
type Tag = keyof typeof TAGS

/** A schema of zod as an OpenAPI 3.0 schema object. @param io the side of its transformations that is sent */
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

/** A refusal that tells where to get tokens (RFC 6750 3, RFC 9728 5.1). */
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

/** A refusal by a rate limit (RFC 6585 4). */
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
