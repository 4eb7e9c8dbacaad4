import type { Server, ServerResponse } from 'node:http'

/** A client that does not read its answer must not block the end for ever. */
const LONGEST_DRAIN_MS = 10_000

/**
 * Returns a function that stops a server without breaking requests. Running requests are answered, and every answer
 * closes its connection: a kept-alive connection would delay the end until it times out.
 *
 * @param server a server that has had no request yet
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
