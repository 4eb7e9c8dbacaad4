import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import type { HttpRequest } from '@grantkit/core'
import type { Route } from '@grantkit/core/adapter'
import { listen } from '../src/listen.ts'
import type { StartTarget } from '../src/target.ts'
import type { Service } from './service.ts'
import { grantkitTarget, NOTES } from './target.ts'

/** No framework: the server of core's quick start. */
export const start: StartTarget = (port) => grantkitTarget(port, (service) => serve(service, port))

async function serve({ server, api }: Service, port: number): Promise<void> {
  const notes: Pick<Route, 'path' | 'handle'> = {
    path: NOTES,
    async handle(request: HttpRequest) {
      const access = await api.access(request, 'notes:read')
      if (access.kind === 'refused') return access.response
      const body = JSON.stringify({ owner: access.token.subject })
      return { status: 200, headers: { 'content-type': 'application/json' }, body }
    },
  }
  const routes = new Map([...server.routes, notes].map((route) => [route.path, route]))
  const listening = createServer(async (incoming, outgoing) => {
    const [path = '', query = ''] = (incoming.url ?? '').split('?')
    const { method = '', headers } = incoming
    const answer = await routes
      .get(path)
      ?.handle({ method, path, query, headers, body: await text(incoming) })
    outgoing.writeHead(answer?.status ?? 404, answer?.headers).end(answer?.body)
  })
  await listen(listening, port)
}
