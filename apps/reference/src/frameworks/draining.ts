import type { Server, ServerResponse } from 'node:http'
import type { Listening } from './listening.ts'

/** A client that does not read its answer must not block the end for ever. */
const MAX_DRAIN_MS = 10_000

/**
 * Stops a server without breaking requests. Running requests are answered, and every answer closes its connection: a
 * kept-alive connection would delay the end until it times out, and a request that a balancer sends on it just as it
 * ends is lost, since what was sent may not be sent again.
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
        // Right after Node has taken connections that wait at the port: those that still wait are reset.
        setImmediate(() => {
          server.close(() => resolve())
          server.closeIdleConnections()
        })
        setTimeout(() => server.closeAllConnections(), MAX_DRAIN_MS).unref()
      }),
  }
}
