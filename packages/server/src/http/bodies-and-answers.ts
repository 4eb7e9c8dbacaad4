import { createHash } from 'node:crypto'
import type { HttpRequest, OAuthError } from '@grantkit/core'
import { errorResponse, readBody, toResponse } from '@grantkit/core/adapter'
import type { HttpBindings } from '@hono/node-server'
import type { Context, Handler, MiddlewareHandler } from 'hono'
import { etag, RETAINED_304_HEADERS } from 'hono/etag'
import type { ContentfulStatusCode } from 'hono/utils/http-status'

/** Shared by the handlers of the service: request bodies, error responses and redirects. */

/** The error body that the whole service shares (RFC 6749 5.2). */
export function jsonError(
  c: Context,
  status: ContentfulStatusCode,
  error: string,
  description: string,
  headers: Record<string, string> = {},
): Response {
  const body = { error, error_description: description }
  return c.json(body, status, { 'cache-control': 'no-store', ...headers })
}

/** @param allow the methods that the path supports, separated by commas (RFC 9110 15.5.6) */
export function wrongMethod(c: Context, allow: string): Response {
  const description = 'This method is not allowed here. Use one of the Allow header'
  return jsonError(c, 405, 'invalid_request', description, { allow })
}

/** 303: the browser does not repeat the POST at the target. */
export function seeOther(c: Context, location: string): Response {
  c.header('cache-control', 'no-store')
  return c.redirect(location, 303)
}

/** A handler behind `prefetch`. */
export interface WithBody {
  Variables: { body: string }
}

/**
 * Reads the body before the request is validated, up to the limit of the OAuth endpoints. `bodyLimit()` of Hono would
 * log an aborted request as a server error.
 */
export const prefetch: MiddlewareHandler<WithBody> = async (c, next) => {
  try {
    c.set('body', await readBody(c.req.raw, cameThroughNode(c)))
  } catch (error) {
    return toResponse(errorResponse(error as OAuthError))
  }
  return next()
}

/** Whether Node's HTTP parser has checked the length of the body. A test may make the request itself. */
function cameThroughNode({ env }: Context<WithBody>): boolean {
  return (env as Partial<HttpBindings> | undefined)?.incoming !== undefined
}

/** No page has more fields, and sorting thousands of names takes milliseconds. */
const MAX_FIELDS = 100

/** The fields of a form; the last one if a field is repeated. A form with too many counts as empty. */
export function formOf(c: Context<WithBody>): Record<string, string> {
  return Object.fromEntries(fieldsOf(c))
}

/** All values of a field, as of check boxes. */
export function valuesOf(c: Context<WithBody>, name: string): string[] {
  return fieldsOf(c).getAll(name)
}

function fieldsOf(c: Context<WithBody>): URLSearchParams {
  const { body } = c.var
  const isForm = /^application\/x-www-form-urlencoded\s*(;|$)/i.test(c.req.header('content-type') ?? '')
  const fits = body.split('&', MAX_FIELDS + 1).length <= MAX_FIELDS
  return new URLSearchParams(isForm && fits ? body : '')
}

/** The value of a text; `undefined` if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A header of a request to core. */
export function headerOf(request: HttpRequest, name: string): string {
  const value = request.headers[name]
  return (Array.isArray(value) ? value.join(', ') : value) ?? ''
}

/** Headers that scripts of other origins need, and that a 304 of Hono leaves out. */
const revalidate = etag({
  retainedHeaders: [...RETAINED_304_HEADERS, 'access-control-allow-origin', 'x-content-type-options'],
})

/**
 * Sends a text with a strong validator over its bytes (RFC 9110 8.8.3), and 304 to a client that has it (13.1.2). The validator
 * is computed when the text changes, not for each request: a service has one thread.
 *
 * @param headers of the response, with its media type and how long caches keep it
 */
export function revalidatedText(
  textNow: () => string | Promise<string>,
  headers: Readonly<Record<string, string>>,
): Handler {
  let known = withValidator('')
  return async (c) => {
    const text = await textNow()
    if (text !== known.text) known = withValidator(text)
    const { validator } = known
    await revalidate(c, async () => {
      c.res = c.body(text, 200, { ...headers, etag: validator })
    })
    return c.res
  }
}

function withValidator(text: string) {
  return { text, validator: `"${createHash('sha256').update(text).digest('base64url')}"` }
}

/** A file that every page may use. @param type its media type */
export function asset(type: string, body: string): Handler {
  const headers = {
    'content-type': type,
    'cache-control': 'public, max-age=3600',
    'x-content-type-options': 'nosniff',
  }
  return (c) => c.body(body, 200, headers)
}
