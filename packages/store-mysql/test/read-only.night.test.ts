import { type MariaDbServer, startMariaDb } from '@grantkit/test-servers/mariadb-server'
import { aGrant } from '@grantkit/testkit'
import { createPool, type Pool } from 'mysql2/promise'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createMysqlStore, migrate, settingsWarnings } from '../src/index.ts'
import { PATIENT, poolOf, soon } from './pool.ts'

let server: MariaDbServer
/** May write to a server that is read-only. */
let root: Pool
/** Of a role that may only read and write rows. */
let pool: Pool
beforeAll(async () => {
  server = await startMariaDb('--log-bin=binlog', '--sync-binlog=1')
  root = poolOf(server)
  await migrate(root)
  await root.query(`CREATE USER service@'127.0.0.1'`)
  for (const table of ['client', 'grant', 'transient'])
    await root.query(`GRANT SELECT, INSERT, UPDATE, DELETE ON grantkit_${table} TO service@'127.0.0.1'`)
  await root.query(`GRANT SELECT ON grantkit_schema TO service@'127.0.0.1'`)
  pool = poolOf({ url: server.url.replace('root@', 'service@') })
})
beforeEach(async () => {
  await root.query(
    'SET GLOBAL read_only = OFF, autocommit = ON, sync_binlog = 1, innodb_flush_log_at_trx_commit = 1',
  )
})
afterAll(async () => {
  await root.end()
  await pool.end()
  await server.close()
})

describe('a server that is read-only', () => {
  it('gets no store, whatever its role may do', async () => {
    await root.query('SET GLOBAL read_only = ON')
    for (const role of [root, pool])
      await expect(createMysqlStore(role)).rejects.toThrow('read-only; it may be a replica')
  })

  it('gets no store if its storage engine alone takes no writes, as a reader of Aurora', async ({
    onTestFinished,
  }) => {
    const reader = await startMariaDb('--innodb-read-only')
    onTestFinished(() => reader.close())
    const own = poolOf(reader)
    onTestFinished(() => own.end())
    await expect(createMysqlStore(own)).rejects.toThrow('read-only; it may be a replica')
    expect(await settingsWarnings(own)).toContainEqual(expect.stringMatching('^innodb_read_only is ON: '))
  })

  it('has no grant for a store that was made before, and takes none', async () => {
    const { grants, probe } = await createMysqlStore(pool, PATIENT)
    const grant = aGrant({ subject: 'alice' })
    await grants.insert(grant.id, grant, soon())
    const seen = await grants.find(grant.id)
    await probe()
    await root.query('SET GLOBAL read_only = ON')
    const other = aGrant()
    const calls = [
      probe(),
      grants.find(grant.id),
      grants.list({ subject: 'alice' }, { limit: 9 }),
      grants.scan()[Symbol.asyncIterator]().next(),
      grants.insert(other.id, other, soon()),
      grants.replace(grant.id, seen ?? { value: grant, version: '' }, grant, soon()),
      grants.remove(grant.id),
    ]
    for (const result of await Promise.allSettled(calls))
      expect(result).toMatchObject({ status: 'rejected', reason: { name: 'ReadOnlyServerError' } })
    await root.query('SET GLOBAL read_only = OFF')
    await probe()
    expect(await grants.find(grant.id)).toEqual(seen)
  })
})

it('a role that may only read and write rows is enough', async () => {
  const { grants, sweep, probe } = await createMysqlStore(pool, PATIENT)
  const grant = aGrant()
  expect(await grants.insert(grant.id, grant, soon())).toBe(true)
  await probe()
  await sweep()
})

it('sessions without autocommit get no store', async () => {
  await root.query('SET GLOBAL autocommit = OFF')
  const own = poolOf({ url: server.url.replace('root@', 'service@') })
  await expect(createMysqlStore(own)).rejects.toThrow('autocommit')
  await own.end()
})

describe('settingsWarnings', () => {
  it('has no warning for a pool as the README makes it', async () => {
    expect(await settingsWarnings(pool)).toEqual([])
  })

  it('warns of sessions that lock gaps', async () => {
    const plain = createPool(server.url)
    expect(await settingsWarnings(plain)).toEqual([expect.stringContaining('set it to READ-COMMITTED')])
    await plain.end()
  })

  it.each([
    ['read_only', 'ON'],
    ['innodb_flush_log_at_trx_commit', '2'],
    ['sync_binlog', '0'],
  ])('warns when %s is %s', async (name, careless) => {
    await root.query(`SET GLOBAL ${name} = ${careless}`)
    expect(await settingsWarnings(pool)).toEqual([expect.stringMatching(`^${name} is ${careless}: `)])
  })
})
