import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type {
  AuthorizationServerOptions,
  Caller,
  HttpRequest,
  PrivateJwk,
  ResourceServer,
} from '@grantkit/core'
import { jwtAccessTokens, revocationFeed } from '@grantkit/core/jwt-access-tokens'
import {
  createJwtResourceServer,
  type JwtResourceServerOptions,
  revokedTokens,
} from '@grantkit/core/jwt-resource-server'
import { createMemoryStore } from '@grantkit/store-memory'
import { SignJWT } from 'jose'
import { onTestFinished } from 'vitest'
import { register, tokensFor } from './client.ts'
import { ISSUER, openService, type Service, type ServiceScope } from './service.ts'
import { TEST_KEYS } from './signing-keys.ts'

/** A service whose tokens for `/mcp` are signed, over HTTP, and a guard with only its public keys. */

export const API = `${ISSUER}/mcp`
export const SCOPES = {
  'courses:read': { description: 'See courses' },
  'courses:write': { description: 'Change' },
}
export const NOW = 1_800_000_000
export const [RSA_KEY, EC_KEY] = TEST_KEYS

/** Serves the routes of a service over HTTP, as a resource server at an edge sees them. */
async function served(service: Service) {
  const server = createServer(async (request, response) => {
    const { status, headers, body } = await service.send(request.method ?? '', request.url ?? '', {
      form: await text(request),
      headers: request.headers,
    })
    response.writeHead(status, headers as Record<string, string>).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = () => void server.close().closeAllConnections()
  onTestFinished(close)
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close }
}

export async function openEdge(
  options: Partial<JwtResourceServerOptions<keyof typeof SCOPES>> = {},
  more: Partial<AuthorizationServerOptions<ServiceScope>> = {},
) {
  const clock = { now: NOW }
  const now = () => clock.now
  const signing = { keys: TEST_KEYS as readonly PrivateJwk[] }
  const service = openService({
    store: createMemoryStore({ now }),
    keys: () => signing.keys,
    now,
    ...more,
    features: [jwtAccessTokens({ resources: { [API]: {} } }), revocationFeed(), ...(more.features ?? [])],
  })
  const client = await register(service)
  const tokens = await tokensFor(service, client, { resource: API })
  const { address, close } = await served(service)
  const api = createJwtResourceServer({
    issuer: ISSUER,
    resource: API,
    scopes: SCOPES,
    keys: `${address}/api/oauth/jwks`,
    now,
    ...options,
  })
  return { clock, now, service, client, tokens, api, address, signing, close }
}

/** An edge that reads the feed. */
export async function openFeed(staleAfter = 30, every = 3600) {
  const edge = await openEdge()
  const { service, address, now } = edge
  const integration = await service.server.clients.add({
    clientName: 'API',
    redirectUris: ['https://api.example/callback'],
    tokenEndpointAuthMethod: 'client_secret_post',
    resourceServer: true,
  })
  const errors: unknown[] = []
  const ended = revokedTokens({
    address: `${address}/api/oauth/ended`,
    clientId: integration.clientId,
    clientSecret: integration.clientSecret ?? '',
    every,
    staleAfter,
    now,
    onError: (error) => void errors.push(error),
  })
  onTestFinished(ended.close)
  const keys = `${address}/api/oauth/jwks`
  const api = createJwtResourceServer({ issuer: ISSUER, resource: API, scopes: SCOPES, keys, now, ended })
  await ended.refresh()
  const kind = (token = edge.tokens.access_token) => kindOf(api, token)
  return { ...edge, api, ended, kind, errors }
}

/** `authorized`, or the status of the refusal. */
export async function kindOf(api: Pick<ResourceServer<never, Caller>, 'access'>, token: string) {
  const access = await api.access(request(token))
  return access.kind === 'refused' ? access.response.status : access.kind
}

export function request(token?: string): HttpRequest {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  return { method: 'GET', path: '/', query: '', body: '', headers }
}

/** A token like one of the service. */
export function signed(claims: object, header: object = {}, key = EC_KEY): Promise<string> {
  return new SignJWT({ ...claims })
    .setProtectedHeader({ alg: String(key?.alg), kid: key?.kid, typ: 'at+jwt', ...header })
    .sign(key as never)
}
