import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import {
  createAuthorizationServer,
  createResourceServer,
  type HttpRequest,
  type HttpResponse,
  type Store,
} from '@grantkit/core'
import { nodeHeaders } from '@grantkit/core/adapter'
import { DEVICE_CODE_GRANT, device } from '@grantkit/core/device'
import { dpop, dpopProofs } from '@grantkit/core/dpop'
import { TOKEN_EXCHANGE, tokenExchange } from '@grantkit/core/token-exchange'
import type { Client } from '../src/client/client-authentication.ts'
import { devicePages, interactionOf, page } from './grantkit-pages.ts'

export const SCOPES = {
  'notes:read': { description: 'Read your notes' },
  'notes:write': { description: 'Write notes' },
}
export const SECRET = 'a secret of the tests, long enough to pass'
/** Of clients that send some. */
export const PROOFS = { nonce: 'required' } as const
const CALLBACK = 'http://127.0.0.1:8765/callback'

export interface Replicas {
  readonly issuer: string
  readonly bases: readonly string[]
  readonly resource: string
  /** The one that acts, and one that introspects. */
  readonly clients: readonly Client[]
  close(): Promise<void>
}

export interface ReplicaOptions {
  /** In seconds. Default: that of Grantkit. */
  readonly refreshRetryWindow?: number
  /** Devices do not wait before they poll, which Grantkit allows once their user has approved. Default: false. */
  readonly isEager?: boolean
}

/** A replica of Grantkit for each store: servers with one issuer, and a resource that accepts their tokens. */
export async function startReplicas(
  stores: readonly Store[],
  options: ReplicaOptions = {},
): Promise<Replicas> {
  const servers = await Promise.all(stores.map(() => listening()))
  const bases = servers.map((server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  const [issuer = ''] = bases
  const replicas = stores.map((store) => replicaOf(issuer, store, options))
  for (const [at, { answer }] of replicas.entries()) servers[at]?.on('request', answer)
  const clients = (await replicas[0]?.addClients()) ?? []
  const close = async () => void (await Promise.all(servers.map(closed)))
  return { issuer, bases, resource: `${issuer}/notes`, clients, close }
}

export function listening(): Promise<Server> {
  const server = createServer()
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)))
}

export function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}

export function serverOptions(issuer: string, { refreshRetryWindow }: ReplicaOptions = {}) {
  const interaction = interactionOf(Math.floor(Date.now() / 1000))
  const features = [device(devicePages, { scopes: Object.keys(SCOPES) }), tokenExchange(), dpop(PROOFS)]
  return {
    ...{ issuer, scopes: SCOPES, interaction, features },
    lifetimes: { refreshRetryWindow },
    onEvent: () => {},
    // All clients of the kit come from one address.
    rateLimiter: { take: async () => 0 },
  }
}

function replicaOf(issuer: string, store: Store, options: ReplicaOptions) {
  const { isEager } = options
  const server = createAuthorizationServer({ ...serverOptions(issuer, options), store, secret: SECRET })
  const proofs = dpopProofs({ ...PROOFS, secret: SECRET })
  const api = createResourceServer({ resource: issuer, store, scopes: SCOPES, proofs })

  const answered = async (request: HttpRequest): Promise<HttpResponse> => {
    const route = server.routes.find(({ path }) => path === request.path)
    if (route !== undefined) return route.handle(request)
    const access = await api.access(request)
    return access.kind === 'refused' ? access.response : page(200, 'notes')
  }
  const answer = async (message: IncomingMessage, response: ServerResponse) => {
    const { status, headers, body } = await answered(await requestOf(message))
    response.writeHead(status, headers).end(isEager ? body?.replace('"interval":5', '"interval":0') : body)
  }
  return { answer, addClients: () => addClients(server.clients) }
}

export async function addClients(
  clients: ReturnType<typeof createAuthorizationServer>['clients'],
): Promise<Client[]> {
  const grantTypes = ['authorization_code', 'refresh_token', DEVICE_CODE_GRANT, TOKEN_EXCHANGE]
  const terms = { redirectUris: [CALLBACK], grantTypes }
  const app = await clients.add({ ...terms, clientName: 'App', tokenEndpointAuthMethod: 'none' })
  const api = await clients.add({ ...terms, clientName: 'API', resourceServer: true })
  return [
    { id: app.clientId, method: 'none' },
    { id: api.clientId, secret: api.clientSecret, method: 'basic' },
  ]
}

export async function requestOf(message: IncomingMessage): Promise<HttpRequest> {
  const [path = '', ...query] = (message.url ?? '').split('?')
  const { method = 'GET' } = message
  return { method, path, query: query.join('?'), headers: nodeHeaders(message), body: await text(message) }
}
