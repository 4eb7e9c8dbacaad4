/**
 * Prints, as JSON, the bytes that a request allocates and that a live grant keeps. It runs in its own process, where
 * nothing else allocates, with `--expose-gc` and a young generation that holds a whole batch without collection.
 */
import { setImmediate } from 'node:timers/promises'
import type { HttpRequest } from '@grantkit/core'
import { jwtAccessTokens } from '@grantkit/core/jwt-access-tokens'
import { createJwtResourceServer } from '@grantkit/core/jwt-resource-server'
import { createFlightRecorder, type FlightRecorder, signInAttempts } from '@grantkit/explain'
import type { JSONWebKeySet } from 'jose'
import {
  ALICE,
  authorizationQuery,
  bodyOf,
  type ClientAnswer,
  codeFor,
  credentials,
  redeem,
  refresh,
  register,
  type TokenAnswer,
  tokensFor,
} from '../client.ts'
import { ID, openWithDocuments } from '../document-host.ts'
import { ISSUER, openService, REDIRECT_URI, type Service, VERIFIER } from '../service.ts'

const BATCH = 500
const BATCHES = 5
/** Before the engine has compiled everything, a request allocates half as much again. */
const WARM_UP_BATCHES = 8
/** With the grants of a batch just below a power of two: the tables of the store are at their fullest. */
const GRANTS = 3500

// Without a log of events, which would be counted. Thousands of clients register from one address.
const service = openService({ onEvent: () => {}, rateLimiter: { take: async () => 0 } })
const CONFIDENTIAL = { token_endpoint_auth_method: 'client_secret_post' }
const client = await register(service, CONFIDENTIAL)
const { clientId: client_id } = client
const requested = { scope: 'courses:read courses:write', nonce: 'n-0S6_WzA2Mj-n-0S6_WzA2Mj' }
const documented = openWithDocuments({ onEvent: () => {} }).service

const nextClient = clientsInTurn(service, CONFIDENTIAL)
const byGrant = {
  code: await bytesPerRequest('POST', '/api/oauth/token', async () => {
    const client = await nextClient()
    return form(client, {
      grant_type: 'authorization_code',
      code: await codeFor(service, client.clientId, requested),
      redirect_uri: REDIRECT_URI,
      code_verifier: VERIFIER,
    })
  }),
  refresh: await bytesPerRequest('POST', '/api/oauth/token', async () => {
    const client = await nextClient()
    const { refresh_token } = await tokensFor(service, client, requested)
    return form(client, { grant_type: 'refresh_token', refresh_token })
  }),
}
await service.server.grants.revokeAll('alice')
const { access_token } = await tokensFor(service, client, requested)

const allocated = {
  ...byGrant,
  register: await bytesPerRequest('POST', '/api/oauth/register', async () => ({
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_name: 'Test client', redirect_uris: [REDIRECT_URI] }),
  })),
  authorize: await bytesPerRequest('GET', '/oauth/authorize', async () => ({
    query: authorizationQuery(client_id),
  })),
  authorizeByDocument: await bytesPerRequest(
    'GET',
    '/oauth/authorize',
    async () => ({ query: authorizationQuery(ID), headers: ALICE }),
    documented,
  ),
  introspect: await bytesPerRequest('POST', '/api/oauth/introspect', async () =>
    form(client, { token: access_token }),
  ),
  guard: await bytesPerCall(
    async () => request('GET', '/courses', { headers: { authorization: `Bearer ${access_token}` } }),
    (guarded) => service.api.access(guarded, 'courses:read'),
  ),
  signedGuard: await bytesOfSignedGuard(),
}

/** They stay, so that none is freed while the next one is measured. */
const measured: Service[] = []
const recorders: FlightRecorder[] = []
const kept = {
  redeemed: await bytesPerGrant(
    async (service, client) => void (await tokensFor(service, client, requested)),
  ),
  refreshed: await bytesPerGrant(refreshedForResource),
  recorder: await bytesAfterFlood(),
}
console.log(JSON.stringify({ allocated, kept }))

/** A guard without the store, for a token that it has verified. */
async function bytesOfSignedGuard(): Promise<number> {
  const resource = `${ISSUER}/mcp`
  const service = openService({
    onEvent: () => {},
    features: [jwtAccessTokens({ resources: { [resource]: {} } })],
  })
  const { access_token } = await tokensFor(service, await register(service), { ...requested, resource })
  const keys = bodyOf<JSONWebKeySet>(await service.send('GET', '/api/oauth/jwks'))
  const scopes = { 'courses:read': { description: 'See courses' } }
  const now = () => service.clock.now
  const api = createJwtResourceServer({ issuer: ISSUER, resource, scopes, keys, now })
  return bytesPerCall(
    async () => request('GET', '/mcp', { headers: { authorization: `Bearer ${access_token}` } }),
    async (guarded) => {
      const { kind } = await api.access(guarded, 'courses:read')
      if (kind !== 'authorized') throw new Error(`The guard without the store ${kind} a valid token`)
    },
  )
}

function form(client: ClientAnswer, fields: Record<string, string>): Partial<HttpRequest> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  return { headers, body: String(new URLSearchParams({ ...credentials(client), ...fields })) }
}

/** A new client for every hundred grants: a user and a client have no more. */
function clientsInTurn(service: Service, metadata?: object): () => Promise<ClientAnswer> {
  let made = 0
  let client: Promise<ClientAnswer> | undefined
  return async () => {
    if (made++ % 100 === 0) client = register(service, metadata)
    return client as Promise<ClientAnswer>
  }
}

function request(method: string, path: string, message: Partial<HttpRequest>): HttpRequest {
  return { method, path, query: '', headers: {}, body: '', remoteAddress: '127.0.0.1', ...message }
}

async function bytesPerRequest(
  method: string,
  path: string,
  prepare: () => Promise<Partial<HttpRequest>>,
  { server } = service,
): Promise<number> {
  const route = server.routes.find((candidate) => candidate.path === path)
  if (route === undefined) throw new Error(`There is no route ${path}`)
  return bytesPerCall(
    async () => request(method, path, await prepare()),
    async (prepared) => {
      const { status, body } = await route.handle(prepared)
      if (status >= 400) throw new Error(`${path} answered ${status}: ${body}`)
    },
  )
}

/** The minimum of the batches, because other work of the engine only adds to it. Preparation is not counted. */
async function bytesPerCall(
  prepare: () => Promise<HttpRequest>,
  call: (prepared: HttpRequest) => Promise<unknown>,
): Promise<number> {
  const batches: number[] = []
  for (let batch = -WARM_UP_BATCHES; batch < BATCHES; batch++) {
    const prepared: HttpRequest[] = []
    while (prepared.length < BATCH) prepared.push(await prepare())
    globalThis.gc?.({ type: 'minor' })
    const before = process.memoryUsage().heapUsed
    for (const one of prepared) await call(one)
    if (batch >= 0) batches.push((process.memoryUsage().heapUsed - before) / BATCH)
  }
  return Math.min(...batches)
}

/** Names scopes and resource every time, as MCP clients do. */
async function refreshedForResource(service: Service, client: ClientAnswer): Promise<void> {
  const resource = `${ISSUER}/mcp`
  const code = await codeFor(service, client.clientId, { ...requested, resource })
  const { refresh_token } = bodyOf<TokenAnswer>(await redeem(service, client, code, { resource }))
  const { status } = await refresh(service, client, refresh_token, { resource, scope: requested.scope })
  if (status !== 200) throw new Error(`The refresh answered ${status}`)
}

async function bytesPerGrant(
  makeGrant: (service: Service, client: ClientAnswer) => Promise<void>,
): Promise<number> {
  const service = openService({ onEvent: () => {} })
  measured.push(service)
  const client = clientsInTurn(service)
  for (let made = 0; made < BATCH; made++) await makeGrant(service, await client())
  const before = await liveBytes()
  for (let made = 0; made < GRANTS; made++) await makeGrant(service, await client())
  return ((await liveBytes()) - before) / GRANTS
}

/** What the flight recorder keeps of refused requests from a thousand networks, whose queries are far larger. */
async function bytesAfterFlood(): Promise<number> {
  const recorder = createFlightRecorder()
  recorders.push(recorder)
  const flooded = openService({ observer: signInAttempts, onEvent: recorder.onEvent })
  const before = await liveBytes()
  for (let sent = 0; sent < 20_000; sent++) {
    const redirect_uri = `https://app${sent}.example/${'x'.repeat(200)}`
    const state = `${sent}${'x'.repeat(2000)}`
    const query = authorizationQuery(`unknown${sent}`, { redirect_uri, state, code_challenge: undefined })
    const remoteAddress = `10.${(sent % 1000) >> 8}.${(sent % 1000) & 255}.1`
    await flooded.send('GET', '/oauth/authorize', { query, remoteAddress })
  }
  return (await liveBytes()) - before
}

async function liveBytes(): Promise<number> {
  for (let round = 0; round < 4; round++) {
    await setImmediate()
    globalThis.gc?.()
  }
  return process.memoryUsage().heapUsed
}
