import { OAuthError } from './oauth-error.ts'

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

/** Parameters by name: a repeated one is an array, one sent without a value is absent (RFC 6749 3.1). */
export type Parameters = Readonly<Record<string, string | string[]>>

/** What parameters inherit: no name that a stranger sends means anything. From `null` itself it would be slow. */
const NOTHING = Object.freeze(Object.create(null))

/** Decodes `application/x-www-form-urlencoded` text, which a query string is as well. */
export function parameters(encoded: string): Parameters {
  const found: Record<string, string | string[]> = Object.create(NOTHING)
  new URLSearchParams(encoded).forEach((value, name) => {
    const earlier = found[name]
    if (earlier === undefined) found[name] = value
    else if (typeof earlier === 'string') found[name] = [earlier, value]
    else earlier.push(value)
  })
  for (const name in found) if (found[name] === '') delete found[name]
  return found
}

export const FORM = 'application/x-www-form-urlencoded'

/** The parameters of a form body. @throws OAuthError 415 for any other media type. */
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
    throw new OAuthError('body_unreadable', 'The body is not valid JSON')
  }
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

/** @throws OAuthError 415 for another media type, or for text that is not UTF-8 */
export function requireMediaType(request: HttpRequest, expected: string): void {
  const given = header(request, 'content-type') ?? ''
  if (given === expected) return
  const [essence = '', ...attributes] = given.toLowerCase().split(';')
  const charset = attributes
    .map((attribute) => attribute.trim())
    .find((attribute) => attribute.startsWith('charset='))
  const utf8 = charset === undefined || /^charset="?utf-?8"?$/.test(charset)
  if (essence.trim() !== expected || !utf8) {
    throw new OAuthError('media_type_unsupported', `The body must be ${expected} in UTF-8`)
  }
}
