import { type MariaDbServer, startMariaDb } from '@grantkit/test-servers/mariadb-server'
import { aClient, aGrant } from '@grantkit/testkit'
import type { Pool, RowDataPacket } from 'mysql2/promise'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createMysqlStore, migrate } from '../src/index.ts'
import { PATIENT, poolOf, soon } from './pool.ts'

let server: MariaDbServer
let pool: Pool
beforeAll(async () => {
  server = await startMariaDb('--innodb-flush-log-at-trx-commit=0')
  pool = poolOf(server)
  await migrate(pool)
})
afterAll(async () => {
  await pool.end()
  await server.close()
})

describe('the store in MySQL', () => {
  it('lists the grant that took an id back under its new user alone', async () => {
    let now = 1_800_000_000
    const { grants } = await createMysqlStore(pool, { ...PATIENT, now: () => now })
    await grants.insert('moved', aGrant({ id: 'moved', subject: 'before' }), now + 10)
    now += 10
    await grants.insert('moved', aGrant({ id: 'moved', subject: 'after' }), now + 10)
    const idsOf = async (subject: string) =>
      (await grants.list({ subject }, { limit: 9 })).grants.map(({ id }) => id)
    expect([await idsOf('before'), await idsOf('after')]).toEqual([[], ['moved']])
  })

  it('sweeps what ended on a day before and an hour ago, in steps, and nothing else', async () => {
    const today = 1_900_000_000 - (1_900_000_000 % 86_400)
    const { clients, sweep } = await createMysqlStore(pool, { ...PATIENT, now: () => today + 3599 })
    const ending = (at: number) => (_: unknown, index: number) =>
      clients.insert(`ends at ${at} ${index}`, aClient(), at)
    await Promise.all(Array.from({ length: 700 }, ending(today - 1)))
    await Promise.all(Array.from({ length: 3 }, ending(today)))
    const rows = async () => {
      const count = `SELECT count(*) AS count FROM grantkit_client WHERE expires_at >= ${today - 1}`
      return (await pool.query<RowDataPacket[]>(count))[0][0]?.count
    }
    await sweep()
    expect(await rows()).toBe(703)
    const later = await createMysqlStore(pool, { ...PATIENT, now: () => today + 3600 })
    expect(await later.sweep()).toBeGreaterThanOrEqual(700)
    expect(await rows()).toBe(3)
  })

  it('sweeps about once a minute, until it is closed', async () => {
    onTestFinished(() => void vi.useRealTimers())
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const now = vi.fn(soon)
    const { close } = await createMysqlStore(pool, { ...PATIENT, sweeping: true, now })
    for (const sweeps of [1, 2]) {
      await expect.poll(() => vi.advanceTimersByTime(90_000) && now.mock.calls.length).toBe(sweeps)
    }
    close()
    vi.advanceTimersByTime(900_000)
    expect(now).toHaveBeenCalledTimes(2)
  })

  it('names no subject in the keys of its tables', async () => {
    const { grants } = await createMysqlStore(pool, PATIENT)
    await grants.insert('of-alice', aGrant({ subject: 'alice@server.example' }), soon())
    const [rows] = await pool.query<RowDataPacket[]>('SELECT subject FROM grantkit_grant')
    expect(rows).not.toEqual([])
    for (const { subject } of rows) expect(subject).toMatch(/^[\w-]{43}$/)
  })

  it('begins somewhere after a cursor that is not ASCII, which no store has made, and fails nothing', async () => {
    const { grants } = await createMysqlStore(pool, PATIENT)
    await expect(grants.list({ subject: 'a' }, { limit: 2, after: '5.größ' })).resolves.toBeDefined()
  })
})
