import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type HttpResponse, OAuthError } from '@grantkit/core'
import { BODY_LIMIT, failedResponse, nodeHeaders, type Route } from '@grantkit/core/adapter'
import { ERRORS } from '@grantkit/core/errors'
import { describeAdapter, type Mounted } from './index.ts'

/** A minimal adapter for plain Node: the suites ask nothing that it cannot do. */
async function mountOnNode(routes: readonly Route[]): Promise<Mounted> {
  const server = createServer(async (incoming, outgoing) => write(outgoing, await answer(routes, incoming)))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

async function answer(routes: readonly Route[], incoming: IncomingMessage): Promise<HttpResponse> {
  try {
    const { method = '', url = '' } = incoming
    const headers = nodeHeaders(incoming)
    const [path = '', ...query] = url.split('?')
    const route = routes.find((one) => (one.below ? path.startsWith(`${one.path}/`) : one.path === path))
    if (route === undefined) return { status: 404, headers: {}, body: '' }
    const body = await read(incoming)
    const { remoteAddress } = incoming.socket
    return await route.handle({ method, path, query: query.join('?'), headers, body, remoteAddress })
  } catch (error) {
    return failedResponse(error)
  }
}

async function read(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming.iterator({ destroyOnReturn: false })) chunks.push(chunk)
  const body = Buffer.concat(chunks)
  if (body.length > BODY_LIMIT) throw new OAuthError(ERRORS.body_too_large)
  return body.toString()
}

function write(outgoing: ServerResponse, { status, headers, body }: HttpResponse): void {
  try {
    outgoing.writeHead(status, headers).end(body)
  } catch (error) {
    write(outgoing, failedResponse(error))
  }
}

describeAdapter('node:http', mountOnNode)
