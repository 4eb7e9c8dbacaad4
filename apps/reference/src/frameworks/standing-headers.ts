import type { Server, ServerResponse } from 'node:http'

/** For answers that are not pages: if a browser shows one anyway, nothing in it runs, loads or is framed. */
const INERT = "default-src 'none'; frame-ancestors 'none'"

/**
 * Headers of every answer, also of the framework's own refusals. A route may set them differently.
 *
 * @param server a server that has had no request yet
 * @param https whether callers use https: browsers are then told to use only https (RFC 6797)
 */
export function standingHeaders(server: Server, https: boolean): void {
  const headers = {
    'content-security-policy': INERT,
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    ...(https ? { 'strict-transport-security': 'max-age=31536000; includeSubDomains' } : {}),
  }
  server.prependListener('request', (_request, response: ServerResponse) => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
  })
}
