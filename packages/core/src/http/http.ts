/** Requests and responses as plain records. Adapters translate them, so core never touches the wire. */
import { sha256 } from '../kernel/secrets.ts'

/** A request before any parser of the framework: core parses query and body itself, once. */
export interface HttpRequest {
  readonly method: string
  /** The path alone, percent-encoding untouched. */
  readonly path: string
  /** The raw text after the `?`; empty when there is none. */
  readonly query: string
  /** Header names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** The body as UTF-8 text; empty when there is none. */
  readonly body: string
  /** Of the socket, or of the client behind proxies that the application trusts. Callers without one share their rate limits. */
  readonly remoteAddress?: string | undefined
  /** The request as the framework knows it, with what middleware has put there. Core passes it on and never reads it. */
  readonly native?: unknown
}

/**
 * The request of the framework. Adapters give it its type: `expressRequest`, `fastifyRequest`, `honoContext`.
 *
 * @throws Error when the adapter passed none
 *
 * @example
 * ```ts
 * import type { HttpRequest } from '@grantkit/core'
 * import { nativeRequest } from '@grantkit/core/adapter'
 *
 * // In an interaction that is mounted by a fetch handler.
 * export const cookieOf = (request: HttpRequest) => (nativeRequest(request) as Request).headers.get('cookie')
 * ```
 */
export function nativeRequest({ native }: HttpRequest): unknown {
  if (native !== undefined) return native
  throw new Error(
    'This request did not come through authorizationServer() of an adapter. In a test, give testClient() the option `native`',
  )
}

/** Of Node's `IncomingMessage`. `rawHeaders` has names and values in turn, as they were sent. */
interface NodeHeaders {
  readonly headers: HttpRequest['headers']
  readonly rawHeaders: readonly string[]
}

/**
 * The headers of a request to Node, with every `Authorization` line. Node itself keeps only the first of several, which would
 * hide that the request has more than one.
 *
 * @example
 * ```ts
 * import { createServer } from 'node:http'
 * import { nodeHeaders } from '@grantkit/core/adapter'
 *
 * createServer((request) => console.log(nodeHeaders(request).authorization))
 * ```
 */
export function nodeHeaders({ headers, rawHeaders }: NodeHeaders): HttpRequest['headers'] {
  if (headers.authorization === undefined) return headers
  const authorization = rawHeaders.filter(
    (_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === 'authorization',
  )
  return authorization.length > 1 ? { ...headers, authorization } : headers
}

export interface HttpResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[]>>
  readonly body: string
}

/** A route of the service. `handle` answers every method, so an adapter registers it for all of them. */
export interface Route {
  /** The path from the root of the host, literally: one path, in its case and its percent-encoding. */
  readonly path: string
  /** It answers every path below that path, and not the path itself. A literal path wins: such routes come last in the list. */
  readonly below?: true | undefined
  readonly methods: readonly string[]
  /**
   * Of a route that has its paths from elsewhere, as those of several issuers: what answers a request. An adapter asks before it reads a
   * body, and leaves the request to the application if there is nothing; `handle` answers that with a 404. Never rejects.
   */
  find?(request: HttpRequest): Promise<Pick<Route, 'handle'> | undefined>
  handle(request: HttpRequest): Promise<HttpResponse>
}

/**
 * Finds the route of a path among those of a server. A literal path wins over what lies below another.
 *
 * @example
 * ```ts with:server
 * import { routeFinder } from '@grantkit/core/adapter'
 *
 * const routeAt = routeFinder(server.routes)
 * const route = routeAt('/api/oauth/token')
 * ```
 */
export function routeFinder(routes: readonly Route[]): (path: string) => Route | undefined {
  const literal = new Map(routes.filter(({ below }) => !below).map((route) => [route.path, route]))
  const prefixes = routes.filter(({ below }) => below)
  return (path) => literal.get(path) ?? prefixes.find((route) => path.startsWith(`${route.path}/`))
}

/** The value of a header, or `undefined`. The values of a repeated header are joined by a comma (RFC 9110 5.2). */
export function header(request: HttpRequest, name: string): string | undefined {
  const value = request.headers[name]
  return Array.isArray(value) ? value.join(', ') : value
}

const NO_STORE = { 'cache-control': 'no-store', pragma: 'no-cache' } as const
const JSON_TYPE = { 'content-type': 'application/json', 'x-content-type-options': 'nosniff' } as const
const JSON_HEADERS = { ...JSON_TYPE, ...NO_STORE }

/**
 * A JSON answer that caches must not store (RFC 6749 5.1).
 *
 * @example
 * ```ts
 * import type { Route } from '@grantkit/core/adapter'
 * import { json } from '@grantkit/core/feature'
 *
 * export const status: Route = {
 *   path: '/status',
 *   methods: ['GET'],
 *   handle: async () => json(200, { status: 'well' }),
 * }
 * ```
 */
export function json(status: number, body: unknown, headers?: HttpResponse['headers']): HttpResponse {
  return {
    status,
    headers: headers === undefined ? JSON_HEADERS : { ...JSON_HEADERS, ...headers },
    body: JSON.stringify(body),
  }
}

/** Serialized once, cached for `maxAge` seconds, and revalidated by a strong validator (RFC 9110 8.8.3 and 13.1.2). */
export function publicDocument(content: object, maxAge = 3600): (request: HttpRequest) => HttpResponse {
  const body = JSON.stringify(content)
  const validators = { 'cache-control': `public, max-age=${maxAge}`, etag: `"${sha256(body)}"` }
  const full: HttpResponse = { status: 200, headers: { ...JSON_TYPE, ...validators }, body }
  const unchanged: HttpResponse = { status: 304, headers: validators, body: '' }
  return (request) => {
    const known = header(request, 'if-none-match')
      ?.split(',')
      .map((tag) => tag.trim().replace(/^W\//, ''))
    return known?.includes(validators.etag) || known?.includes('*') ? unchanged : full
  }
}

/** 303: no browser repeats a form POST at the target (RFC 9700 4.12). */
export function redirect(location: string): HttpResponse {
  return { status: 303, headers: { location, ...NO_STORE }, body: '' }
}

/**
 * They protect a page from framing, caching and leaking its address (RFC 9700 4.2.4 and 4.16). Under `no-referrer` browsers would
 * send its own form with `Origin: null`, which applications that look at `Origin` refuse.
 */
const PAGE_HEADERS = {
  ...NO_STORE,
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
}

/**
 * Adds the safe headers to a page of the application. A stricter CSP of the page is kept.
 *
 * @example
 * ```ts
 * import { securePage } from '@grantkit/core/feature'
 *
 * export const page = (html: string) =>
 *   securePage({ status: 200, headers: { 'content-type': 'text/html; charset=utf-8' }, body: html })
 * ```
 */
export function securePage(page: HttpResponse): HttpResponse {
  return {
    ...page,
    headers: {
      'content-security-policy': "default-src 'self'; frame-ancestors 'none'",
      ...page.headers,
      ...PAGE_HEADERS,
    },
  }
}
