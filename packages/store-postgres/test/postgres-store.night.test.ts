import { subjectKey } from '@grantkit/core/store-kit'
import { type PostgresServer, startPostgres } from '@grantkit/test-servers/postgres-server'
import { aClient, aGrant, describeStore } from '@grantkit/testkit'
import { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createPostgresStore, migrate } from '../src/index.ts'
import { statementsOf } from '../src/statements.ts'
import { PATIENT, poolOf, soon } from './patient.ts'

let server: PostgresServer
let pool: Pool
beforeAll(async () => {
  server = await startPostgres()
  pool = poolOf(server.url)
  await migrate(pool)
})
afterAll(async () => {
  await pool.end()
  await server.close()
})

it.each([
  ['a subject', 'subject', subjectKey('busy')],
  ['a subject and a client', 'owner', subjectKey('busy', 'client-sample')],
])('a page of %s reads its own rows alone, of three thousand', async (_, column, key) => {
  await migrate(pool, { prefix: `${column}_` })
  const { grants } = await createPostgresStore(pool, { ...PATIENT, prefix: `${column}_` })
  for (let second = 0; second < 3000; second += 500)
    await Promise.all(
      Array.from({ length: 500 }, (__, more) => {
        const grant = aGrant({ subject: 'busy', createdAt: 1_800_000_000 + second + more })
        return grants.insert(grant.id, grant, soon())
      }),
    )
  await pool.query(`ANALYZE ${column}_grant`)
  const { listBySubject, listByOwner } = statementsOf(`${column}_grant`, [])
  const { text } = column === 'subject' ? listBySubject : listByOwner
  const { rows } = await pool.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, [
    key,
    1_800_002_000,
    'x',
    0,
    50,
  ])
  const [scan] = rows[0]['QUERY PLAN'][0].Plan.Plans
  expect(scan).toMatchObject({ 'Node Type': 'Index Scan', 'Actual Rows': 50 })
  expect(scan['Rows Removed by Filter'] ?? 0).toBe(0)
})

describeStore(
  'postgres',
  async ({ now }) => {
    const store = await createPostgresStore(pool, { ...PATIENT, now })
    return { store, close: () => store.close(), restart: () => server.restart() }
  },
  { survivesRestart: true, transients: true, namespaces: true },
)

describe('the store in Postgres', () => {
  it('sweeps what ended on a day before and an hour ago, in steps, and nothing else', async () => {
    const today = 1_900_000_000 - (1_900_000_000 % 86_400)
    const { clients, sweep, close } = await createPostgresStore(pool, { ...PATIENT, now: () => today + 3599 })
    const ending = (at: number) => (_: unknown, index: number) =>
      clients.insert(`ends at ${at} ${index}`, aClient(), at)
    await Promise.all(Array.from({ length: 700 }, ending(today - 1)))
    await Promise.all(Array.from({ length: 3 }, ending(today)))
    close()
    const rows = async () =>
      (await pool.query(`SELECT FROM grantkit_client WHERE expires_at >= ${today - 1}`)).rowCount
    await sweep()
    expect(await rows()).toBe(703)
    const later = await createPostgresStore(pool, { ...PATIENT, now: () => today + 3600 })
    expect(await later.sweep()).toBeGreaterThanOrEqual(700)
    expect(await rows()).toBe(3)
  })

  it('sweeps about once a minute, until it is closed', async () => {
    onTestFinished(() => void vi.useRealTimers())
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const now = vi.fn(soon)
    const { close } = await createPostgresStore(pool, { ...PATIENT, sweeping: true, now })
    for (const sweeps of [1, 2]) {
      await expect.poll(() => vi.advanceTimersByTime(90_000) && now.mock.calls.length).toBe(sweeps)
    }
    close()
    vi.advanceTimersByTime(900_000)
    expect(now).toHaveBeenCalledTimes(2)
  })

  it('runs under a role that may only read and write rows', async () => {
    await pool.query(`
      CREATE ROLE app LOGIN;
      GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO app`)
    const restricted = poolOf(server.url.replace('postgres@', 'app@'))
    const { clients, sweep } = await createPostgresStore(restricted, PATIENT)
    expect(await clients.insert('of a role', aClient(), soon())).toBe(true)
    await sweep()
    await restricted.end()
  })

  it('lets one writer win if the transactions of a role are serializable', async () => {
    await pool.query(`
      CREATE ROLE careful LOGIN IN ROLE pg_read_all_data, pg_write_all_data;
      ALTER ROLE careful SET default_transaction_isolation = serializable`)
    const careful = poolOf(server.url.replace('postgres@', 'careful@'))
    const { grants } = await createPostgresStore(careful, PATIENT)
    for (let round = 0; round < 20; round++) {
      const grant = aGrant()
      await grants.insert(grant.id, grant, soon())
      const seen = await grants.find(grant.id)
      if (seen === undefined) throw new Error('The grant is not there')
      const racers = Array.from({ length: 8 }, () => grants.replace(grant.id, seen, grant, soon()))
      expect((await Promise.all(racers)).filter(Boolean)).toHaveLength(1)
    }
    await careful.end()
  })

  it('survives an idle connection that broke in a pool of the application', async () => {
    const own = new Pool({ connectionString: server.url })
    const { clients, close } = await createPostgresStore(own, PATIENT)
    await pool.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()')
    await expect.poll(() => own.totalCount).toBe(0)
    expect(await clients.find('anyone')).toBeUndefined()
    close()
    await own.end()
  })
})
