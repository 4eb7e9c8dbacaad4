import { authorizationServer } from '@grantkit/adapter-fastify'
import { fastify } from 'fastify'
import { draining } from './draining.ts'
import { type Listen, NOT_FOUND } from './listening.ts'
import { standingHeaders } from './standing-headers.ts'

export const listenOnFastify: Listen = async (routes, { host, port, https }) => {
  const app = fastify()
  const drain = draining(app.server)
  standingHeaders(app.server, https)
  app.setNotFoundHandler((_request, reply) =>
    reply.code(NOT_FOUND.status).headers(NOT_FOUND.headers).send(Buffer.from(NOT_FOUND.body)),
  )
  await app.register(authorizationServer({ routes }))
  await app.listen({ host, port })
  return {
    async close() {
      await drain()
      await app.close()
    },
  }
}
