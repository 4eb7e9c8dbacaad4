import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import {
  createAuthorizationServer,
  createResourceServer,
  type HttpRequest,
  type HttpResponse,
  type Interaction,
  type Store,
} from '@grantkit/core'
import { nodeHeaders } from '@grantkit/core/adapter'

const scopes = {
  'notes:read': { description: 'Read your notes' },
  'notes:write': { description: 'Write notes' },
}
const page = (status: number, body: string): HttpResponse => ({
  status,
  headers: { 'content-type': 'text/html' },
  body,
})

/** Alice is signed in in every browser. */
const interaction: Interaction = {
  session: async () => ({ id: 'session', subject: 'alice', authTime: 1_700_000_000 }),
  signIn: () => page(200, 'sign in'),
  consentPage: ({ action, ticket, scopes: requested }) =>
    page(
      200,
      `<form method="post" action="${action.replaceAll('&', '&amp;')}">
         <input type="hidden" name="ticket" value="${ticket}">
         ${requested.map(({ name }) => `<input type="checkbox" name="scope" value="${name}">`).join('')}
         <button name="decision" value="deny">Deny</button> <button name="decision" value="allow">Allow</button>
       </form>`,
    ),
  errorPage: ({ status, description }) => page(status, description),
}

export interface Replicas {
  readonly issuer: string
  readonly bases: readonly string[]
  readonly resource: string
  close(): Promise<void>
}

/** Grantkit in a process for each store: servers with one issuer, and a resource that accepts their tokens. */
export async function startReplicas(stores: readonly Store[]): Promise<Replicas> {
  const servers = await Promise.all(stores.map(() => listening()))
  const bases = servers.map((server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  const [issuer = ''] = bases
  for (const [at, store] of stores.entries()) servers[at]?.on('request', replicaOf(issuer, store))
  const close = async () => {
    for (const server of servers) {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    }
  }
  return { issuer, bases, resource: `${issuer}/notes`, close }
}

function listening(): Promise<Server> {
  const server = createServer()
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)))
}

function replicaOf(issuer: string, store: Store) {
  const secret = 'a secret of the tests, long enough to pass'
  const server = createAuthorizationServer({ issuer, store, scopes, secret, interaction, onEvent: () => {} })
  const api = createResourceServer({ resource: issuer, store, scopes })

  const answered = async (request: HttpRequest): Promise<HttpResponse> => {
    const route = server.routes.find(({ path }) => path === request.path)
    if (route !== undefined) return route.handle(request)
    const access = await api.access(request)
    return access.kind === 'refused' ? access.response : page(200, 'notes')
  }
  return async (message: IncomingMessage, response: ServerResponse) => {
    const { status, headers, body } = await answered(await requestOf(message))
    response.writeHead(status, headers).end(body)
  }
}

async function requestOf(message: IncomingMessage): Promise<HttpRequest> {
  const [path = '', ...query] = (message.url ?? '').split('?')
  const { method = 'GET' } = message
  return { method, path, query: query.join('?'), headers: nodeHeaders(message), body: await text(message) }
}
