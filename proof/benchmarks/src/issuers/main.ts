/** What a thousand issuers in one process cost: `pnpm --dir proof bench:issuers`. */
import { loopbackOnly } from '@grantkit/core'
import { byPath, type Issuer, issuers } from '@grantkit/core/issuers'
import { createMemoryStore } from '@grantkit/store-memory'
import { inProcess, testClient } from '@grantkit/testkit/client'
import { describeMachine } from '../machine.ts'

const ISSUERS = 1000
const REFRESHES = 20_000

const store = createMemoryStore()
const tenants = issuers({
  addresses: byPath('/t'),
  store,
  secret: 'a secret of the benchmark, long enough to pass',
  version: () => '1',
  options: (key) => ({
    issuer: `http://127.0.0.1/t/${key}`,
    scopes: { 'notes:read': { description: 'Read your notes' } },
    redirectUriPolicy: loopbackOnly(),
    interaction: {
      session: async () => ({ id: 'session', subject: 'alice', authTime: Math.floor(Date.now() / 1000) }),
      signIn: () => ({ status: 303, headers: { location: '/login' }, body: '' }),
      errorPage: ({ status, reason }) => ({ status, headers: {}, body: reason }),
      consentPage: ({ action, ticket }) => ({
        ...{ status: 200, headers: { 'content-type': 'text/html' } },
        body: `<form method="post" action="${action}"><input name="ticket" value="${ticket}"><input type="checkbox" name="scope" value="notes:read" checked><button name="decision" value="allow">Allow</button></form>`,
      }),
    },
  }),
})
const send = inProcess(tenants)

function used(): number {
  globalThis.gc?.()
  return process.memoryUsage().heapUsed
}

const before = used()
const begun = performance.now()
const ready: Issuer[] = []
for (let number = 0; number < ISSUERS; number++) ready.push((await tenants.find(`t${number}`)) as Issuer)
const created = (performance.now() - begun) / ISSUERS
const kept = (used() - before) / ISSUERS

/** Refreshes one after the other, at these issuers in turn. @returns microseconds for each */
async function refreshes(at: readonly Issuer[]): Promise<number> {
  const clients = await Promise.all(
    at.map(async ({ server }) => {
      const client = await testClient(server.issuer, { send })
      return { client, tokens: await client.tokens('notes:read') }
    }),
  )
  const start = performance.now()
  for (let turn = 0; turn < REFRESHES; turn++) {
    const held = clients[turn % clients.length] as (typeof clients)[number]
    held.tokens = await held.client.refresh(held.tokens.refresh_token ?? '')
  }
  return ((performance.now() - start) * 1000) / REFRESHES
}

await refreshes(ready.slice(0, 1))
const one = await refreshes(ready.slice(0, 1))
const thousand = await refreshes(ready)
console.log(describeMachine('not pinned'))
console.table({
  'to create an issuer': `${created.toFixed(2)} ms`,
  'memory of one that is ready': `${Math.round(kept / 1024)} KB`,
  'a refresh at one issuer': `${Math.round(one)} µs`,
  'a refresh at 1,000 issuers in turn': `${Math.round(thousand)} µs`,
})
