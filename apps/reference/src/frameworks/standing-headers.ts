import type { Server, ServerResponse } from 'node:http'

/** For answers that are not pages: if a browser shows one anyway, nothing in it runs, loads or is framed. */
const INERT = "default-src 'none'; frame-ancestors 'none'"

/**
 * Headers of every answer, also of the framework's own refusals. A route may set them differently.
 *
 * @param https whether callers use https: browsers are then told to use only https (RFC 6797)
 */
export function standingHeaders(https: boolean): Readonly<Record<string, string>> {
  return {
    'content-security-policy': INERT,
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    ...(https ? { 'strict-transport-security': 'max-age=31536000; includeSubDomains' } : {}),
  }
}

/** Sets headers on an answer before its handler does. */
export function setHeaders(response: ServerResponse, headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
}

/** Sets headers on every answer. @param server a server that has had no request yet */
export function setOnEach(server: Server, headers: Readonly<Record<string, string>>): void {
  server.prependListener('request', (_request, response: ServerResponse) => setHeaders(response, headers))
}
