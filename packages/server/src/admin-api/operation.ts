import { createRoute, type RouteConfig, z } from '@hono/zod-openapi'
import type { AdminScope } from '../authorization/admin-scopes.ts'
import type { Guarded } from './access.ts'

/** An error of the admin API, as of the whole service. */
const ErrorAnswer = z.object({ error: z.string(), error_description: z.string() }).openapi('Error')

function refused(description: string) {
  return { description, content: { 'application/json': { schema: ErrorAnswer } } }
}

export const NO_CONTENT = { 204: { description: 'Done, or nothing was to be done' } }
export const NOT_FOUND = { 404: refused('It does not exist') }
export const CONFLICT = { 409: refused('It contradicts what exists') }
export const PRECONDITION = {
  412: refused('It has changed since the ETag of If-Match'),
  428: refused('If-Match is missing'),
}
const ERRORS = {
  400: refused('A parameter or a member of the body is wrong; all of them are named'),
  401: refused('There is no token, or it is not valid here'),
  403: refused('The token lacks the scope, or its client or user may not use the admin API'),
  503: refused('The store or the database cannot be reached'),
}
const BODY_ERRORS = {
  413: refused('The body is larger than 64 KiB'),
  415: refused('The body has another media type'),
}

export function json<Schema extends z.ZodType>(description: string, schema: Schema) {
  return { description, content: { 'application/json': { schema } } }
}

/** A required JSON body. */
export function body<Schema extends z.ZodType>(schema: Schema) {
  return { required: true, content: { 'application/json': { schema } } }
}

/** Makes routes of the admin API: each needs a scope, and has the errors that every operation has. */
export function operations(guarded: Guarded) {
  return <const Route extends Omit<RouteConfig, 'security' | 'middleware'>>(
    scope: AdminScope,
    route: Route,
  ) =>
    createRoute({
      ...route,
      security: [{ oauth2: [scope] }],
      middleware: guarded(scope),
      responses: { ...route.responses, ...ERRORS, ...(route.request?.body && BODY_ERRORS) },
    })
}
export type Operations = ReturnType<typeof operations>
