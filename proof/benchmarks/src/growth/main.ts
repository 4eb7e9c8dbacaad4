/** Whether the store stays fast as it grows: `pnpm --dir proof bench:growth`. */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type AuthorizationServer, createAuthorizationServer } from '@grantkit/core'
import { type Grant, newGrantId } from '@grantkit/core/feature'
import { createSqliteStore, migrate, type SqliteStore } from '@grantkit/store-sqlite'
import { inProcess, testClient } from '@grantkit/testkit/client'
import { describeMachine } from '../machine.ts'
import { NOTES } from '../notes-options.ts'
import { quantile } from '../statistics.ts'

const USAGE = `pnpm --dir proof bench:growth

  --sizes <list>  live grants in SQLite, 100000,1000000 by default
  --help`

const REFRESHES = 5000
const LISTS = 500
const EXPIRED = 10_000
const GRANTS_OF_USER = 3
const AT_ONCE = 2000

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '100000,1000000' },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) console.log(USAGE)
else await measure(values.sizes.split(',').map(Number))

async function measure(sizes: readonly number[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'grantkit-growth-'))
  const path = join(folder, 'grants.sqlite')
  try {
    migrate({ path })
    console.log(describeMachine('not pinned'))
    const rows: Record<string, object> = {}
    let grants = 0
    for (const size of sizes) {
      await fill(path, grants, size)
      grants = size
      rows[size.toLocaleString('en')] = await measured(path, size)
      console.table(rows)
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function open(path: string, durability: 'machine' | 'process') {
  const store = createSqliteStore({ path, durability, sweeping: false })
  const server = createAuthorizationServer({
    ...{ issuer: 'http://127.0.0.1', store, secret: 'a secret of the benchmark, long enough to pass' },
    ...NOTES,
  })
  return { store, server }
}

async function signedIn(server: AuthorizationServer) {
  const client = await testClient(server.issuer, { send: inProcess(server) })
  const { refresh_token = '' } = await client.tokens('notes:read')
  return { client, refreshToken: refresh_token }
}

/** Copies of a real grant that was refreshed once, for users with three each. */
async function fill(path: string, from: number, to: number): Promise<void> {
  const { store, server } = open(path, 'process')
  const sample = await refreshedGrant(store, server)
  for (let number = from; number < to; number += AT_ONCE)
    await Promise.all(
      Array.from({ length: AT_ONCE }, (_, index) =>
        insert(store, sample, `user${Math.floor((number + index) / GRANTS_OF_USER)}`, sample.expiresAt),
      ),
    )
  await store.close()
}

async function refreshedGrant(store: SqliteStore, server: AuthorizationServer): Promise<Grant> {
  const { client, refreshToken } = await signedIn(server)
  await client.refresh(refreshToken)
  const [grant] = (await store.grants.list({ subject: 'alice' }, { limit: 1 })).grants
  if (grant === undefined) throw new Error('The sign-in left no grant')
  return grant
}

function insert(store: SqliteStore, sample: Grant, subject: string, expiresAt: number): Promise<boolean> {
  const id = newGrantId(randomBytes)
  return store.grants.insert(id, { ...sample, id, subject, expiresAt }, expiresAt)
}

async function measured(path: string, size: number) {
  const begun = performance.now()
  const { store, server } = open(path, 'machine')
  await store.probe()
  const start = performance.now() - begun
  const held = await signedIn(server)
  const refreshes = await times(REFRESHES, async () => {
    held.refreshToken = (await held.client.refresh(held.refreshToken)).refresh_token ?? ''
  })
  let user = 0
  const lists = await times(LISTS, async () => {
    user = (user + 7919) % Math.floor(size / GRANTS_OF_USER)
    const { grants } = await server.grants.list(`user${user}`)
    if (grants.length !== GRANTS_OF_USER) throw new Error(`user${user} has ${grants.length} grants`)
  })
  const sample = await refreshedGrant(store, server)
  const past = Math.floor(Date.now() / 1000) - 2 * 24 * 60 * 60
  await Promise.all(Array.from({ length: EXPIRED }, () => insert(store, sample, 'bob', past)))
  const swept = performance.now()
  const gone = await store.sweep()
  const sweep = performance.now() - swept
  await store.close()
  return {
    'start, ms': Math.round(start),
    ...inMilliseconds('refresh', refreshes),
    ...inMilliseconds('list of a user', lists),
    [`sweep of ${gone.toLocaleString('en')}, ms`]: Math.round(sweep),
    'resident, MB': Math.round(process.memoryUsage.rss() / 1e6),
    'file, MB': Math.round(statSync(path).size / 1e6),
  }
}

async function times(count: number, work: () => Promise<void>): Promise<number[]> {
  const taken: number[] = []
  for (let turn = 0; turn < count; turn++) {
    const begun = performance.now()
    await work()
    taken.push(performance.now() - begun)
  }
  return taken
}

function inMilliseconds(name: string, taken: readonly number[]) {
  return {
    [`${name}, p50 ms`]: quantile(taken, 0.5).toFixed(3),
    [`${name}, p99 ms`]: quantile(taken, 0.99).toFixed(3),
  }
}
