/** One point of `scaling.ts`, in its own process: prints the cost of requests at a given number of records. */
import type { Store } from '@grantkit/core'
import type { Grant, GrantId } from '@grantkit/core/feature'
import { createMemoryStore } from '@grantkit/store-memory'
import { Client, send } from '../grantkit/client.ts'
import { openService, type Service } from '../grantkit/service.ts'
import { authorizationQuery, CLIENT_METADATA, REDIRECT_URI, SCOPE, SUBJECT, VERIFIER } from './sample.ts'
import { quantile } from './statistics.ts'

export interface Size {
  readonly grants: number
  readonly clients: number
  readonly scopes: number
}

const ISSUER = 'http://127.0.0.1:4000'
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const TOKEN = '/api/oauth/token'
const BATCHES = 60
const BATCH = 200

export type Cost = Awaited<ReturnType<typeof measure>>

async function measure(size: Size) {
  const store = createMemoryStore({ maxRecords: Number.POSITIVE_INFINITY })
  const service = await openService(ISSUER, { store, moreScopes: scopesOf(size) })
  const client = await Client.register(service.server)
  await client.tokens(SCOPE, SUBJECT)
  await fill(store, client.clientId, size)
  globalThis.gc?.()
  return {
    register: await costOf(() => send(service.server, 'POST', '/api/oauth/register', REGISTRATION)),
    code: await costOfCode(service, client),
    refresh: await costOfRefresh(service, client),
    protected: await costOfAccess(service, client),
    authorize: await costOf(() =>
      send(service.server, 'GET', '/oauth/authorize', { query: authorizationQuery(client.clientId) }),
    ),
  }
}

const REGISTRATION = {
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(CLIENT_METADATA),
}

function scopesOf({ scopes }: Size) {
  const names = Array.from({ length: scopes }, (_, index) => `area${index}:read`)
  return Object.fromEntries(names.map((name) => [name, { description: `Read area ${name}` }]))
}

/** Copies a real grant and a real client, each with its own name, subject and time. */
async function fill(store: Store, clientId: string, { grants, clients }: Size): Promise<void> {
  const [grant] = (await store.grants.list({ subject: SUBJECT }, { limit: 200 })).grants
  const client = await store.clients.find(clientId)
  if (grant === undefined || client === undefined) throw new Error('There is nothing to copy')
  for (let index = 0; index < grants; index++) {
    const copy: Grant = { ...grant, id: `grant-${index}` as GrantId, subject: `subject-${index}` }
    await store.grants.insert(copy.id, copy, grant.expiresAt + (index % 86_400))
  }
  for (let index = 0; index < clients; index++) {
    const copy = { ...client.value, clientId: `client-${index}` }
    await store.clients.insert(copy.clientId, copy, copy.expiresAt + (index % 86_400))
  }
}

async function costOfCode({ server }: Service, client: Client): Promise<number> {
  const codes = await Promise.all(Array.from({ length: BATCHES * BATCH }, () => client.code(SCOPE)))
  return costOf(async () => {
    const code = codes.pop() ?? ''
    const grant = { grant_type: 'authorization_code', redirect_uri: REDIRECT_URI, code_verifier: VERIFIER }
    const body = String(new URLSearchParams({ ...grant, client_id: client.clientId, code }))
    await send(server, 'POST', TOKEN, { headers: FORM, body })
  })
}

async function costOfRefresh({ server }: Service, client: Client): Promise<number> {
  let { refresh_token } = await client.tokens(SCOPE)
  return costOf(async () => {
    const form = { grant_type: 'refresh_token', client_id: client.clientId, refresh_token }
    const body = String(new URLSearchParams(form))
    const answer = await send(server, 'POST', TOKEN, { headers: FORM, body })
    refresh_token = JSON.parse(answer.body).refresh_token
  })
}

async function costOfAccess({ api }: Service, client: Client): Promise<number> {
  const { access_token } = await client.tokens(SCOPE)
  const headers = { authorization: `Bearer ${access_token}` }
  const request = { method: 'GET', path: '/notes', query: '', headers, body: '' }
  return costOf(async () => {
    const { kind } = await api.access(request, 'notes:read')
    if (kind !== 'authorized') throw new Error(`The token is ${kind}`)
  })
}

/** The lower quartile in microseconds, because noise affects it less. The first half of the batches is warm-up. */
async function costOf(work: () => Promise<unknown>): Promise<number> {
  const batches: number[] = []
  for (let batch = 0; batch < BATCHES; batch++) {
    const start = performance.now()
    for (let index = 0; index < BATCH; index++) await work()
    batches.push(((performance.now() - start) / BATCH) * 1000)
  }
  return quantile(Float64Array.from(batches.slice(BATCHES / 2)), 0.25)
}

console.log(JSON.stringify(await measure(JSON.parse(process.argv[2] ?? '{}'))))
