import { authorizationServer, protect } from '@grantkit/adapter-fastify'
import fastify from 'fastify'
import type { StartTarget } from '../src/target.ts'
import type { Service } from './service.ts'
import { grantkitTarget, NOTES } from './target.ts'

export const start: StartTarget = (port) => grantkitTarget(port, (service) => serve(service, port))

export async function serve({ server, api }: Service, port: number): Promise<void> {
  const app = fastify()
  await app.register(authorizationServer(server))
  const readers = protect(api, 'notes:read')
  app.get(NOTES, { preHandler: readers }, async (request) => ({ owner: readers.auth(request).token.subject }))
  await app.listen({ port, host: '127.0.0.1' })
}
