/** What a thousand issuers in one process cost: `pnpm --dir proof bench:issuers`, and on Postgres `--store postgres`. */
import { parseArgs } from 'node:util'
import { byPath, type Issuer, issuers } from '@grantkit/core/issuers'
import { createMemoryStore } from '@grantkit/store-memory'
import { connectToPostgres, createPostgresStore, migrate } from '@grantkit/store-postgres'
import { inProcess, testClient } from '@grantkit/testkit/client'
import { startPostgres } from '../../../../packages/test-servers/src/postgres-server.ts'
import { describeMachine } from '../machine.ts'
import { NOTES } from '../notes-options.ts'

const ISSUERS = 1000
const REFRESHES = 20_000

const imported = performance.now()
const { values } = parseArgs({ options: { store: { type: 'string', default: 'memory' } } })
const postgres = values.store === 'postgres' ? await startPostgres() : undefined
const migrating = postgres && (await connectToPostgres(postgres.url))
if (migrating !== undefined) await migrate(migrating)

const opened = performance.now()
const pool = postgres && (await connectToPostgres(postgres.url))
const store = pool === undefined ? createMemoryStore() : await createPostgresStore(pool)
const of = (most?: number) =>
  issuers({
    addresses: byPath('/t'),
    store,
    most,
    secret: 'a secret of the benchmark, long enough to pass',
    version: () => '1',
    options: (key) => ({
      issuer: `http://127.0.0.1/t/${key}`,
      ...NOTES,
    }),
  })
const tenants = of()
const send = inProcess(tenants)
const started = imported + performance.now() - opened

/** Of each issuer before it is ready: a token request that reads the store. @returns milliseconds, in order */
async function firstRequests(): Promise<readonly number[]> {
  const cold = inProcess(of(1))
  const body = 'grant_type=refresh_token&client_id=unknown&refresh_token=unknown'
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const times: number[] = []
  for (let number = 0; number < ISSUERS; number++) {
    const begun = performance.now()
    await cold(`http://127.0.0.1/t/t${number}/api/oauth/token`, { method: 'POST', headers, body })
    times.push(performance.now() - begun)
  }
  return times.sort((a, b) => a - b)
}
const firsts = await firstRequests()

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
      const { refresh_token = '' } = await client.tokens('notes:read')
      return { client, refreshToken: refresh_token }
    }),
  )
  const start = performance.now()
  for (let turn = 0; turn < REFRESHES; turn++) {
    const held = clients[turn % clients.length] as (typeof clients)[number]
    held.refreshToken = (await held.client.refresh(held.refreshToken)).refresh_token ?? ''
  }
  return ((performance.now() - start) * 1000) / REFRESHES
}

/** Microseconds. Not on Postgres, which takes nearly all of them. */
async function refreshTimes() {
  if (postgres !== undefined) return {}
  await refreshes(ready.slice(0, 1))
  return {
    'a refresh at one issuer': `${Math.round(await refreshes(ready.slice(0, 1)))} µs`,
    'a refresh at 1,000 issuers in turn': `${Math.round(await refreshes(ready))} µs`,
  }
}

console.log(describeMachine('not pinned'))
console.table({
  'start of the process until it serves': `${Math.round(started)} ms`,
  'first request of a cold issuer': `${firsts[ISSUERS / 2]?.toFixed(1)} ms (longest ${firsts.at(-1)?.toFixed(1)} ms)`,
  'to create an issuer': `${created.toFixed(2)} ms`,
  'memory of one that is ready': `${Math.round(kept / 1024)} KB`,
  ...(await refreshTimes()),
})
await pool?.end()
await migrating?.end()
await postgres?.close()
