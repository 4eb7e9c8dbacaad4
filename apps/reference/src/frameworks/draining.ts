import type { Server, ServerResponse } from 'node:http'

/** Whoever does not read its answer must not hold up the end for ever. */
const LONGEST_DRAIN_MS = 10_000

/**
 * How to stop a server without cutting anybody off: what is under way is answered, and every answer ends its
 * connection, since one that is kept alive would hold up the end until it times out.
 *
 * @param server before its first request
 */
export function draining(server: Server): () => Promise<void> {
  const underWay = new Set<ServerResponse>()
  let closing = false
  server.prependListener('request', (_request, response: ServerResponse) => {
    if (closing) response.setHeader('connection', 'close')
    underWay.add(response)
    response.once('close', () => {
      underWay.delete(response)
      if (closing) server.closeIdleConnections()
    })
  })
  return () =>
    new Promise((resolve) => {
      closing = true
      for (const response of underWay) if (!response.headersSent) response.setHeader('connection', 'close')
      server.close(() => resolve())
      server.closeIdleConnections()
      setTimeout(() => server.closeAllConnections(), LONGEST_DRAIN_MS).unref()
    })
}
