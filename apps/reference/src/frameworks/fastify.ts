import { authorizationServer } from '@grantkit/adapter-fastify'
import type { Route } from '@grantkit/core'
import { fastify } from 'fastify'

/** The service on a framework: where it listens, and how it stops. */
export interface Listening {
  /** Stops accepting, answers what is under way, then resolves. */
  close(): Promise<void>
}

export async function listenOnFastify(
  routes: readonly Route[],
  address: { host: string; port: number },
): Promise<Listening> {
  const app = fastify({ forceCloseConnections: 'idle' })
  let closing = false
  app.addHook('onSend', async (_request, reply) => {
    // A connection that is kept alive would hold up the end until it times out.
    if (closing) reply.header('connection', 'close')
  })
  app.setNotFoundHandler((_request, reply) => reply.code(404).send(NOT_FOUND))
  await app.register(authorizationServer({ routes }))
  await app.listen(address)
  return {
    close() {
      closing = true
      // Whoever does not read its answer must not hold up the end for ever.
      setTimeout(() => app.server.closeAllConnections(), LONGEST_DRAIN_MS).unref()
      return app.close()
    },
  }
}

const LONGEST_DRAIN_MS = 10_000
const NOT_FOUND = { error: 'not_found', error_description: 'There is nothing at this path' }
