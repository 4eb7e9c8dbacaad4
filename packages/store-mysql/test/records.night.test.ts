import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Grant } from '@grantkit/core/feature'
import { type MariaDbServer, startMariaDb } from '@grantkit/test-servers/mariadb-server'
import { aClient, aGrant, aTransient } from '@grantkit/testkit'
import type { Pool, RowDataPacket } from 'mysql2/promise'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createMysqlStore, migrate } from '../src/index.ts'
import type { Outcome } from './contender.ts'
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
  it('takes an id back whose record has ended, long before its row is swept', async () => {
    let now = 1_800_000_000
    const { transients } = await createMysqlStore(pool, { ...PATIENT, now: () => now })
    const [first, second] = [aTransient({ id: 'again', of: 1 }), aTransient({ id: 'again', of: 2 })]
    expect(await transients.insert('again', first, now + 10)).toBe(true)
    now += 10
    expect(await transients.remove('again')).toBe(false)
    expect(await transients.insert('again', second, now + 10)).toBe(true)
    expect(await transients.insert('again', first, now + 10)).toBe(false)
    expect((await transients.find('again'))?.value).toEqual(second)
  })

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

  it('reads a record with members that it does not know, and refuses a format of the future', async () => {
    const { clients } = await createMysqlStore(pool, PATIENT)
    const names = 'id, version, value, expires_at'
    const write = (id: string, content: object) =>
      pool.execute(`INSERT INTO grantkit_client (${names}) VALUES (?, ?, ?, ?)`, [
        id,
        id,
        JSON.stringify(content),
        soon(),
      ])
    await write('newer', { schema: 1, value: { ...aClient(), colour: 'blue' } })
    await write('future', { schema: 99, value: {} })
    expect((await clients.find('newer'))?.value).toMatchObject({ colour: 'blue' })
    await expect(clients.find('future')).rejects.toThrow('newer release')
  })

  it('has one winner of every race between two processes', async () => {
    const { grants } = await createMysqlStore(pool, PATIENT)
    const raced = Array.from({ length: 50 }, () => aGrant())
    await Promise.all(raced.map((grant) => grants.insert(grant.id, grant, soon())))
    const contenders = [contender(raced), contender(raced)]
    await Promise.all(contenders.map((child) => once(child, 'message')))
    const results = contenders.map((child) => once(child, 'message'))
    for (const child of contenders) child.send('go')
    const [[here], [there]] = (await Promise.all(results)) as [[Outcome[]], [Outcome[]]]
    for (const [index, { id }] of raced.entries())
      for (const race of ['inserted', 'replaced', 'removed'] as const)
        expect([here[index]?.[race], there[index]?.[race]].sort(), `${race} ${id}`).toEqual([false, true])
  })
})

/** A process that says when it is ready, starts at a message, and answers with its outcomes. */
function contender(grants: readonly Grant[]): ChildProcess {
  return fork(join(import.meta.dirname, 'contender.ts'), [server.url, ...grants.map(({ id }) => id)])
}
