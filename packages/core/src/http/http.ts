/**
 * What comes in and what goes out, as plain records: frameworks translate theirs, and nobody below reads the wire.
 */

/** A request as every framework has it before its parsers: core reads query and body itself, once. */
export interface HttpRequest {
  readonly method: string
  /** The path alone, percent-encoding untouched. */
  readonly path: string
  /** What follows the `?`, raw; empty when there is none. */
  readonly query: string
  /** Header names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** The body as UTF-8 text; empty when there is none. */
  readonly body: string
  /**
   * The IP address of the caller as the framework knows it: of the socket, or of whoever stands before the proxies
   * that the application trusts. Without it nobody is counted, and rate limits do nothing.
   */
  readonly remoteAddress?: string | undefined
}

export interface HttpResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[]>>
  readonly body: string
}

/** One path of the service. `handle` answers every method, so an adapter registers it for all of them. */
export interface Route {
  /** Where it is mounted, from the root of the host. `:name` stands for one segment. */
  readonly path: string
  readonly methods: readonly string[]
  handle(request: HttpRequest): Promise<HttpResponse>
}

/** The one value of a header, or `undefined`; a header sent twice gives the values joined by a comma (RFC 9110 5.2). */
export function header(request: HttpRequest, name: string): string | undefined {
  const value = request.headers[name]
  return Array.isArray(value) ? value.join(', ') : value
}

const NO_STORE = { 'cache-control': 'no-store', pragma: 'no-cache' } as const

export const JSON_TYPE = { 'content-type': 'application/json', 'x-content-type-options': 'nosniff' } as const

const JSON_HEADERS = { ...JSON_TYPE, ...NO_STORE }

/** A JSON answer that no cache keeps (RFC 6749 5.1). */
export function json(status: number, body: unknown, headers?: HttpResponse['headers']): HttpResponse {
  return {
    status,
    headers: headers === undefined ? JSON_HEADERS : { ...JSON_HEADERS, ...headers },
    body: JSON.stringify(body),
  }
}

/** 303, so that no browser repeats a form POST at the target (RFC 9700 4.12). */
export function redirect(location: string): HttpResponse {
  return { status: 303, headers: { location, ...NO_STORE }, body: '' }
}

/** What keeps a page from being framed, cached or leaked by its address (RFC 9700 4.2.4 and 4.16). */
const PAGE_HEADERS = {
  ...NO_STORE,
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
}

/** An application's page as core lets it out: safe headers cannot be forgotten, a stricter CSP is kept. */
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
