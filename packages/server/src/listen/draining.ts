import type { Server, ServerResponse } from 'node:http'
import type { Listening } from './listening.ts'

/** A client that does not read its response must not block the shutdown for ever. */
const MAX_DRAIN_MS = 10_000

/**
 * Stops a server without breaking requests. Pending requests are answered, and every response closes its connection: a
 * keep-alive connection would delay the shutdown until it times out, and a request that a load balancer sends on it at
 * that moment would be lost, since it may not be sent again.
 *
 * @param server a server that has had no request yet
 */
export function draining(server: Server): Listening {
  const underWay = new Set<ServerResponse>()
  let draining = false
  let closing = false
  server.prependListener('request', (_request, response: ServerResponse) => {
    if (draining) response.setHeader('connection', 'close')
    underWay.add(response)
    response.once('close', () => {
      underWay.delete(response)
      if (closing) server.closeIdleConnections()
    })
  })
  const drain = () => {
    draining = true
    for (const response of underWay) if (!response.headersSent) response.setHeader('connection', 'close')
  }
  return {
    drain,
    close: () =>
      new Promise((resolve) => {
        drain()
        closing = true
        // Runs right after Node has accepted the waiting connections: those that still wait are reset.
        setImmediate(() => {
          server.close(() => resolve())
          server.closeIdleConnections()
        })
        setTimeout(() => server.closeAllConnections(), MAX_DRAIN_MS).unref()
      }),
  }
}
