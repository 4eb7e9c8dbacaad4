import type { Server, ServerResponse } from 'node:http'

/** For what is not a page: if a browser shows it all the same, nothing in it runs, loads or is framed. */
const INERT = "default-src 'none'; frame-ancestors 'none'"

/**
 * Headers of every answer, of the framework's own refusals as well; those that a route sets itself come first.
 *
 * @param server before its first request
 * @param https whether callers come by https: they are told to come no other way (RFC 6797)
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
