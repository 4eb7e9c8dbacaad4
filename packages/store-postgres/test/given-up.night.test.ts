import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { startPgBouncer } from '@grantkit/test-servers/pgbouncer'
import { type PostgresServer, startPostgres } from '@grantkit/test-servers/postgres-server'
import { aGrant } from '@grantkit/testkit'
import type { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { connectToPostgres, createPostgresStore, migrate, settingsWarnings } from '../src/index.ts'

/** Statements that the store gave up, which Postgres may still carry out. */

const soon = () => Math.floor(Date.now() / 1000) + 600
const REPLICAS = 3
const CONNECTIONS = 10
/** Of the PgBouncer for tests to Postgres. */
const SERVER_CONNECTIONS = 3

let server: PostgresServer
let watcher: Pool
beforeAll(async () => {
  server = await startPostgres('fsync=off', 'max_connections=100')
  watcher = await connectToPostgres(server.url, { max: 2 })
  await migrate(watcher)
})
afterAll(async () => {
  await watcher.end()
  await server.close()
})

async function replicasAt(url: string): Promise<(() => Promise<unknown>)[]> {
  const pools = await Promise.all(Array.from({ length: REPLICAS }, () => connectToPostgres(url)))
  onTestFinished(async () => {
    for (const pool of pools) await pool.end()
  })
  const stores = await Promise.all(
    pools.map((pool) => createPostgresStore(pool, { sweeping: false, prepare: false })),
  )
  return stores.map((store) => () => {
    const grant = aGrant()
    return store.grants.insert(grant.id, grant, soon()).catch(() => {})
  })
}

/** The most backends of the replicas at any time while the table of grants is locked, and each of them writes to it. */
async function mostBackends(inserts: readonly (() => Promise<unknown>)[], writers: number): Promise<number> {
  const locking = await watcher.connect()
  await locking.query('BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0')
  await locking.query('LOCK grantkit_grant IN ACCESS EXCLUSIVE MODE')
  let locked = true
  const writing = inserts.flatMap((insert) =>
    Array.from({ length: writers }, async () => {
      while (locked) await insert()
    }),
  )
  let most = 0
  for (const end = Date.now() + 2500; Date.now() < end; await sleep(50)) {
    const { rows } = await watcher.query(
      `SELECT count(*)::integer AS count FROM pg_stat_activity
       WHERE client_port IS NOT NULL AND query LIKE 'INSERT INTO grantkit_grant%'`,
    )
    most = Math.max(most, rows[0].count)
  }
  locked = false
  await locking.query('ROLLBACK')
  locking.release()
  await Promise.all(writing)
  return most
}

async function linesOfReadme(): Promise<readonly string[]> {
  const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8')
  return readme.match(/^ALTER ROLE service SET .*;$/gm) ?? []
}

describe('three replicas that write to a locked table', () => {
  it('have no more backends than connections', async () => {
    const inserts = await replicasAt(server.url)
    expect(await mostBackends(inserts, 2 * CONNECTIONS)).toBeLessThanOrEqual(REPLICAS * CONNECTIONS)
  }, 30_000)

  it('have no more backends than PgBouncer has connections, if their role has the time limits', async () => {
    const bouncer = await startPgBouncer(server.port)
    onTestFinished(() => bouncer.close())
    for (const line of await linesOfReadme()) await watcher.query(line.replace('service', 'postgres'))
    onTestFinished(() => watcher.query('ALTER ROLE postgres RESET ALL').then(() => {}))
    const inserts = await replicasAt(bouncer.url)
    expect(await mostBackends(inserts, 1)).toBeLessThanOrEqual(SERVER_CONNECTIONS)
  }, 30_000)
})

it('a pool behind a PgBouncer, which takes no time limits, is warned that it has none', async () => {
  const bouncer = await startPgBouncer(server.port)
  const pool = await connectToPostgres(bouncer.url)
  onTestFinished(async () => {
    await pool.end()
    await bouncer.close()
  })
  expect(await settingsWarnings(pool)).toContainEqual(expect.stringMatching(/^statement_timeout is 0: .*1s/))
})

it('a migration waits for a lock longer than a request does', async () => {
  const locking = await watcher.connect()
  await locking.query(`BEGIN; SELECT pg_advisory_xact_lock(hashtext('patient_schema'))`)
  const migrating = migrate(watcher, { prefix: 'patient_' })
  await sleep(1500)
  await locking.query('ROLLBACK')
  locking.release()
  await migrating
})
