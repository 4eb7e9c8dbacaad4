import { authorizationServer, protect } from '@grantkit/adapter-fastify'
import type { AuthorizationServer, ResourceServer } from '@grantkit/core'
import fastify from 'fastify'
import type { StartTarget } from '../src/workloads.ts'
import type { Service } from './service.ts'
import { grantkitTarget, NOTES } from './target.ts'

export const start: StartTarget = (port) => grantkitTarget(port, serve)

export function serve({ server, api }: Service, port: number): Promise<void> {
  return listen(server, { [NOTES]: api }, port)
}

/** @param apis the guard of each path */
export async function listen(
  server: AuthorizationServer,
  apis: Readonly<Record<string, ResourceServer<'notes:read'>>>,
  port: number,
): Promise<void> {
  const app = fastify()
  await app.register(authorizationServer(server))
  for (const [path, api] of Object.entries(apis)) {
    const readers = protect(api, 'notes:read')
    app.get(path, { preHandler: readers }, async (request) => ({
      owner: readers.auth(request).token.subject,
    }))
  }
  await app.listen({ port, host: '127.0.0.1' })
}
