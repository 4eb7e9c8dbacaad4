import { createResourceServer, type HttpRequest } from '@grantkit/core'
import { routeFinder } from '@grantkit/core/adapter'
import { dpopProofs } from '@grantkit/core/dpop'
import { byHost, issuers } from '@grantkit/core/issuers'
import { createMemoryStore } from '@grantkit/store-memory'
import { delayed } from '@grantkit/test-servers/delayed'
import { expect, it } from 'vitest'
import { torture } from '../src/run/torture.ts'
import { approveDevice } from './approve-device.ts'
import { page } from './grantkit-pages.ts'
import * as replicas from './grantkit-replicas.ts'
import { faultsOf } from './grantkit-run.ts'

/** Three issuers in one process and one store. Each token that one gives out is presented at the others too. */
async function startIssuers() {
  const { SCOPES: scopes, SECRET: secret, PROOFS } = replicas
  const listening = await Promise.all([1, 2, 3].map(() => replicas.listening()))
  const servers = new Map(listening.map((server) => [`127.0.0.1:${Object(server.address()).port}`, server]))
  const store = createMemoryStore()
  const tenants = issuers({
    ...{ addresses: byHost(), secret },
    store: { ...store, within: (key) => delayed(store.within(key)) },
    version: (key) => (servers.has(key) ? '1' : undefined),
    options: (key) => replicas.serverOptions(`http://${key}`),
  })
  const api = tenants.guard(({ server, store, secret }) => {
    const proofs = dpopProofs({ ...PROOFS, secret })
    return createResourceServer({ resource: server.issuer, store, scopes, proofs })
  })
  const routeAt = routeFinder(tenants.routes)
  const answered = async (request: HttpRequest) => {
    const route = routeAt(request.path)
    if (route !== undefined) return route.handle(request)
    const access = await api.access(request)
    return access.kind === 'refused' ? access.response : page(200, 'notes')
  }
  const clientsAt = async (key: string) =>
    replicas.addClients((await tenants.find(key))?.server.clients ?? expect.fail(`No ${key}`))
  const parties = await Promise.all(
    [...servers.keys()].map(async (key) => ({ key, issuer: `http://${key}`, clients: await clientsAt(key) })),
  )
  /** The answers of the others to what one has given out. */
  const foreign: unknown[] = []
  async function presentElsewhere(from: string, { access_token, refresh_token }: Record<string, string>) {
    for (const { key: host, clients } of parties.filter(({ key }) => key !== from)) {
      const call = { method: 'GET', path: '/notes', query: '', body: '' }
      const headers = { host, authorization: `Bearer ${access_token}` }
      foreign.push((await answered({ ...call, headers })).status)
      if (refresh_token === undefined) continue
      const form = { grant_type: 'refresh_token', client_id: clients[0]?.id ?? '', refresh_token }
      const post = { ...call, method: 'POST', path: '/api/oauth/token', body: `${new URLSearchParams(form)}` }
      const type = 'application/x-www-form-urlencoded'
      const refused = await answered({ ...post, headers: { host, 'content-type': type } })
      foreign.push(JSON.parse(refused.body).error)
    }
  }
  for (const [key, server] of servers)
    server.on('request', async (message, response) => {
      const { status, headers, body } = await answered(await replicas.requestOf(message))
      // Devices do not wait before they poll, as in `startReplicas`.
      response.writeHead(status, headers).end(body.replace('"interval":5', '"interval":0'))
      if (status === 200 && body.includes('"access_token"')) await presentElsewhere(key, JSON.parse(body))
    })
  return { parties, foreign, close: async () => void (await Promise.all(listening.map(replicas.closed))) }
}

it('a run with every check finds nothing in three issuers of one process, which take no token of another', async () => {
  const { parties, foreign, close } = await startIssuers()
  const common = {
    cookie: 'session=alice',
    approve: approveDevice,
    scope: ['notes:read'],
    limits: { rate: 1000 },
  }
  const runs = parties.map(({ issuer, clients }) =>
    torture({ ...common, issuer, clients, endpoints: { userinfo: `${issuer}/notes` } }),
  )
  for (const report of await Promise.all(runs).finally(close)) {
    expect(faultsOf(report)).toEqual([])
    expect(report.rounds.ended).toBe(report.rounds.planned)
  }
  expect(new Set(foreign)).toEqual(new Set([401, 'invalid_grant']))
})
