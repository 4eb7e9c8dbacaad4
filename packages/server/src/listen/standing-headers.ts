import type { Server, ServerResponse } from 'node:http'

/** For responses that are not pages: if a browser shows one anyway, it runs and loads nothing, and cannot be framed. */
const INERT = "default-src 'none'; frame-ancestors 'none'"

/**
 * Whether the server sends HSTS (RFC 6797): on https, if the host is its own. Below a path the host is another site's, which may
 * have parts without TLS, at other ports or names.
 */
export function sendsHsts(baseUrl: string): boolean {
  const { protocol, pathname } = new URL(baseUrl)
  return protocol === 'https:' && pathname === '/'
}

/**
 * Headers of every response, including the framework's own errors. A route may override them.
 *
 * @param hsts whether to send HSTS: see `sendsHsts`
 */
export function standingHeaders(hsts: boolean): Readonly<Record<string, string>> {
  return {
    'content-security-policy': INERT,
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    ...(hsts ? { 'strict-transport-security': 'max-age=31536000; includeSubDomains' } : {}),
  }
}

/** Sets headers on a response before its handler runs. */
export function setHeaders(response: ServerResponse, headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
}

/** Sets headers on every response. @param server a server that has had no request yet */
export function setOnEach(server: Server, headers: Readonly<Record<string, string>>): void {
  server.prependListener('request', (_request, response: ServerResponse) => setHeaders(response, headers))
}
