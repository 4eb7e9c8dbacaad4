import { type RouteConfig, z } from '@hono/zod-openapi'

/** Responses and request bodies of operations. */

type OfRoute = RouteConfig['responses']
/** An interface has a name in declarations; what the type consists of could not be named there. */
export interface Responses extends OfRoute {}
type Content = NonNullable<NonNullable<RouteConfig['request']>['body']>['content'][string]
/** A schema of zod, or one of OpenAPI 3.0. */
export type Schema = NonNullable<Extract<Content, { readonly schema?: unknown }>['schema']>

/** The error body of the whole service (RFC 6749 5.2). */
const ErrorBody = z
  .strictObject({
    error: z.string(),
    error_description: z.string(),
    reference: z.string().optional().openapi({ description: 'Names this attempt for the operator' }),
  })
  .openapi('Error')

/** A JSON response. */
export function json<Body extends Schema>(description: string, schema: Body, example?: unknown) {
  return {
    description,
    content: { 'application/json': { schema, ...(example !== undefined && { example }) } },
  }
}

/** A response of another media type. */
export function text(description: string, mediaType: string) {
  return { description, content: { [mediaType]: { schema: { type: 'string' } as const } } }
}

/** An error with a JSON body. */
export function error(description: string) {
  return json(description, ErrorBody)
}

export function form(schema: Schema) {
  return { required: true, content: { 'application/x-www-form-urlencoded': { schema } } }
}

export function header(description: string, type: 'string' | 'integer' = 'string') {
  return { description, schema: { type } }
}

/** The responses of a page: 303 is a redirect, and every other status a page. */
export function page(descriptions: Readonly<Record<number, string>>): Responses {
  const headers = { Location: header('Where to go on') }
  return Object.fromEntries(
    Object.entries(descriptions).map(([status, description]) => [
      status,
      status === '303' ? { description, headers } : text(description, 'text/html'),
    ]),
  )
}

export const UNAVAILABLE = error('`temporarily_unavailable`: the store cannot be reached')

/**
 * The errors of a resource server, with a challenge that links to the resource metadata (RFC 6750 3, RFC 9728 5.1).
 *
 * @param lacking what a token without the scope lacks
 */
export function guardErrors(lacking: string) {
  return {
    401: challenged('`invalid_token`: the access token is unknown, expired or revoked'),
    403: challenged(`\`insufficient_scope\`: ${lacking}`),
    503: UNAVAILABLE,
  }
}

/** An error with a challenge (RFC 6750 3). */
export function challenged(description: string) {
  return { ...error(description), headers: { 'WWW-Authenticate': header('A Bearer challenge') } }
}
