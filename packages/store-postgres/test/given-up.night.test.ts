import { readFile } from 'node:fs/promises'
import { startPgBouncer } from '@grantkit/test-servers/pgbouncer'
import { type PostgresServer, startPostgres } from '@grantkit/test-servers/postgres-server'
import { aGrant } from '@grantkit/testkit'
import type { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { connectToPostgres, createPostgresStore, migrate, settingsWarnings } from '../src/index.ts'
import { poolOf, soon } from './patient.ts'

/** Statements that the store gave up, which Postgres may still carry out. */

const REPLICAS = 3
const CONNECTIONS = 10
/** Of the PgBouncer for tests to Postgres. */
const SERVER_CONNECTIONS = 3
/** How often each writer is given up, and tries again. */
const ROUNDS = 4

let server: PostgresServer
let watcher: Pool
beforeAll(async () => {
  server = await startPostgres('fsync=off', 'max_connections=100')
  const none = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout']
  // Whatever its role gets meanwhile.
  watcher = poolOf(server.url, { options: none.map((limit) => `-c ${limit}=0`).join(' ') })
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
  const unlock = await locked('LOCK grantkit_grant IN ACCESS EXCLUSIVE MODE')
  const calls = inserts.flatMap((insert) => Array.from({ length: writers }, () => insert))
  let givenUp = 0
  const writing = calls.map(async (insert) => {
    while (givenUp < ROUNDS * calls.length) {
      await insert()
      givenUp++
    }
  })
  let most = 0
  const backends = async () => {
    const { rows } = await watcher.query(
      `SELECT count(*)::integer AS count FROM pg_stat_activity
       WHERE client_port IS NOT NULL AND query LIKE 'INSERT INTO grantkit_grant%'`,
    )
    most = Math.max(most, rows[0].count)
    return givenUp
  }
  await expect.poll(backends).toBeGreaterThanOrEqual(ROUNDS * calls.length)
  await unlock()
  await Promise.all(writing)
  return most
}

/** Keeps a lock until the returned function is called, or the test has ended. */
async function locked(sql: string): Promise<() => Promise<unknown>> {
  const locking = await watcher.connect()
  // Its connection ends its transaction too.
  onTestFinished(() => locking.release(true))
  await locking.query(`BEGIN; ${sql}`)
  return () => locking.query('ROLLBACK')
}

async function linesOfReadme(): Promise<readonly string[]> {
  const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8')
  return readme.match(/^ALTER ROLE service SET .*;$/gm) ?? []
}

describe('three replicas that write to a locked table', () => {
  it('have no more backends than connections', async () => {
    const inserts = await replicasAt(server.url)
    expect(await mostBackends(inserts, 2 * CONNECTIONS)).toBeLessThanOrEqual(REPLICAS * CONNECTIONS)
  })

  it('have no more backends than PgBouncer has connections, if their role has the time limits', async () => {
    const bouncer = await startPgBouncer(server.port)
    onTestFinished(() => bouncer.close())
    for (const line of await linesOfReadme()) await watcher.query(line.replace('service', 'postgres'))
    onTestFinished(() => watcher.query('ALTER ROLE postgres RESET ALL').then(() => {}))
    const inserts = await replicasAt(bouncer.url)
    expect(await mostBackends(inserts, 1)).toBeLessThanOrEqual(SERVER_CONNECTIONS)
  })
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
  const brisk = await connectToPostgres(server.url, { max: 2 })
  onTestFinished(() => brisk.end())
  const unlock = await locked(`SELECT pg_advisory_xact_lock(hashtext('patient_schema'))`)
  const migrating = migrate(brisk, { prefix: 'patient_' })
  const waiting = `SELECT FROM pg_stat_activity
    WHERE wait_event = 'advisory' AND query_start < clock_timestamp() - interval '1500 ms'`
  const isPatient = expect.poll(async () => (await watcher.query(waiting)).rowCount).toBe(1)
  await Promise.race([migrating, isPatient])
  await unlock()
  await migrating
})
