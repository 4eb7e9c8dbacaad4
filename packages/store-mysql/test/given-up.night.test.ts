import { type MariaDbServer, startMariaDb } from '@grantkit/test-servers/mariadb-server'
import { aClient, aGrant } from '@grantkit/testkit'
import type { Pool, PoolConnection, RowDataPacket } from 'mysql2/promise'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createMysqlStore, type MysqlStore, migrate } from '../src/index.ts'
import { PATIENT, poolOf, soon } from './pool.ts'

/** Statements that wait, and those that the store gave up. */

let server: MariaDbServer
let pool: Pool
let store: MysqlStore
beforeAll(async () => {
  server = await startMariaDb('--innodb-flush-log-at-trx-commit=0', '--innodb-lock-wait-timeout=1')
  pool = poolOf(server)
  await migrate(pool)
  store = await createMysqlStore(pool, PATIENT)
})
afterAll(async () => {
  await pool.end()
  await server.close()
})

async function opened() {
  const grant = aGrant()
  await store.grants.insert(grant.id, grant, soon())
  const seen = await store.grants.find(grant.id)
  if (seen === undefined) throw new Error('The grant is not there')
  return { grant, seen }
}

/** A connection in a transaction, which a test that fails gives back too: a lock would keep the server from ending. */
async function operating(): Promise<PoolConnection> {
  const operator = await pool.getConnection()
  onTestFinished(async () => {
    await operator.rollback()
    operator.release()
  })
  await operator.beginTransaction()
  return operator
}

describe('a grant that another transaction has locked', () => {
  it('delays no other one, and is replaced after it', async () => {
    const [locked, free] = [await opened(), await opened()]
    const operator = await operating()
    await operator.query('SELECT 1 FROM grantkit_grant WHERE id = ? FOR UPDATE', [locked.grant.id])
    let released = false
    const replacing = store.grants.replace(locked.grant.id, locked.seen, locked.grant, soon())
    const waiting = replacing.then((replaced) => ({ replaced, released }))
    expect(await store.grants.replace(free.grant.id, free.seen, free.grant, soon())).toBe(true)
    expect(await store.grants.find(locked.grant.id)).toBeDefined()
    released = true
    await operator.commit()
    expect(await waiting).toEqual({ replaced: true, released: true })
  })

  it('and changed is a lost race, also when MySQL has ended the wait for it once', async () => {
    const { grant, seen } = await opened()
    const operator = await operating()
    await operator.query(`UPDATE grantkit_grant SET version = 'other' WHERE id = ?`, [grant.id])
    const waits = await statusOf('Innodb_row_lock_waits')
    const replacing = store.grants.replace(grant.id, seen, grant, soon())
    // The time limit of InnoDB is a second: it waits a second time.
    await expect.poll(() => statusOf('Innodb_row_lock_waits')).toBe(waits + 2)
    await operator.commit()
    expect(await replacing).toBe(false)
  })

  it('keeps no thread of the server waiting after its time limit', async () => {
    const { grant, seen } = await opened()
    // InnoDB itself would wait for longer than this test.
    await pool.query('SET GLOBAL innodb_lock_wait_timeout = 1000')
    const own = poolOf(server)
    onTestFinished(async () => {
      await own.end()
      await pool.query('SET GLOBAL innodb_lock_wait_timeout = 1')
    })
    const brisk = await createMysqlStore(own, { commandTimeout: 100, sweeping: false })
    const operator = await operating()
    await operator.query('SELECT 1 FROM grantkit_grant WHERE id = ? FOR UPDATE', [grant.id])
    const calls = Array.from({ length: 5 }, () => brisk.grants.replace(grant.id, seen, grant, soon()))
    const settled = await Promise.allSettled(calls)
    expect(new Set(settled.map(({ status }) => status))).toEqual(new Set(['rejected']))
    const threads = `SELECT info FROM information_schema.processlist
      WHERE info LIKE '%UPDATE grantkit_grant%' AND id <> connection_id()`
    await expect.poll(async () => (await pool.query<RowDataPacket[]>(threads))[0]).toEqual([])
    await operator.rollback()
    expect((await store.grants.find(grant.id))?.version).toBe(seen.version)
  })
})

it('a sweep that MySQL ends because of a deadlock is repeated', async () => {
  const yesterday = soon() - 2 * 86_400
  const past = await createMysqlStore(pool, { ...PATIENT, now: () => yesterday })
  for (const id of ['first', 'second']) await past.clients.insert(id, aClient(), yesterday + 60)
  const write = (id: string) => `UPDATE grantkit_client SET value = CONCAT(value, ' ') WHERE id = '${id}'`
  const operator = await operating()
  // The transaction with fewer changes is rolled back.
  for (let change = 0; change < 20; change++) await operator.query(write('second'))
  const sweeping = store.sweep()
  await expect.poll(() => lockWaits(), { interval: 150 }).toBe(1)
  await operator.query(write('first'))
  await operator.commit()
  expect(await sweeping).toBe(2)
  expect(await statusOf('Innodb_deadlocks')).toBe(1)
})

async function statusOf(name: string): Promise<number> {
  const [[row]] = await pool.query<RowDataPacket[]>(`SHOW GLOBAL STATUS LIKE '${name}'`)
  return Number(row?.Value)
}

/** InnoDB refreshes these tables only when nobody has read them for 100 ms. */
async function lockWaits(): Promise<number> {
  const sql = 'SELECT count(*) AS count FROM information_schema.innodb_lock_waits'
  const [[row]] = await pool.query<RowDataPacket[]>(sql)
  return row?.count
}

it('the session of the application keeps its settings', async () => {
  const single = poolOf(server, { connectionLimit: 1 })
  const settings = async () => {
    const names = `'tx_isolation', 'max_statement_time', 'innodb_lock_wait_timeout', 'sql_mode', 'autocommit'`
    return (await single.query(`SHOW SESSION VARIABLES WHERE Variable_name IN (${names})`))[0]
  }
  const before = await settings()
  const { clients, sweep } = await createMysqlStore(single, PATIENT)
  await clients.find('anyone')
  await sweep()
  expect(await settings()).toEqual(before)
  await single.end()
})

it('a write on a connection in a transaction is no success, and is rolled back', async () => {
  const single = poolOf(server, { connectionLimit: 1 })
  const careless = await createMysqlStore(single, PATIENT)
  const { grant } = await opened()
  await single.query('START TRANSACTION')
  // The second attempt has a new connection, and finds the grant.
  expect(await careless.grants.remove(grant.id)).toBe(true)
  expect(await store.grants.find(grant.id)).toBeUndefined()
  await single.end()
})

it('too many calls fail at once instead of waiting', async () => {
  const single = poolOf(server, { connectionLimit: 1 })
  const { clients } = await createMysqlStore(single, { ...PATIENT, maxWaiting: 20 })
  const calls = await Promise.allSettled(Array.from({ length: 100 }, () => clients.remove('anyone')))
  const refused = calls.filter(({ status }) => status === 'rejected')
  expect(refused).toHaveLength(80)
  expect(refused[0]).toMatchObject({ reason: { message: expect.stringContaining('Too many calls') } })
  await single.end()
})
