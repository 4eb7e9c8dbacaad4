import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Route } from '@grantkit/core/adapter'
import { onTestFinished } from 'vitest'

/** Serves routes on a loopback port until the test ends. @returns their origin */
export async function listen(routesOf: (origin: string) => readonly Route[]): Promise<string> {
  const server = createServer(async (incoming, outgoing) => {
    const { pathname: path, search } = new URL(incoming.url ?? '', origin)
    const route = routes.find((candidate) => candidate.path === path)
    const { method = '', headers } = incoming
    const request = { method, path, query: search.slice(1), headers, body: await text(incoming) }
    const answer = await route?.handle(request)
    outgoing.writeHead(answer?.status ?? 404, answer?.headers).end(answer?.body)
  })
  onTestFinished(() => void server.close().closeAllConnections())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const routes = routesOf(origin)
  return origin
}
