import { type MariaDbServer, startMariaDb } from '@grantkit/test-servers/mariadb-server'
import { aClient } from '@grantkit/testkit'
import type { Pool, RowDataPacket } from 'mysql2/promise'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createMysqlStore, migrate } from '../src/index.ts'
import { PATIENT, poolOf, soon } from './pool.ts'

let server: MariaDbServer
let pool: Pool
beforeAll(async () => {
  server = await startMariaDb('--innodb-flush-log-at-trx-commit=0')
  pool = poolOf(server)
})
afterAll(async () => {
  await pool.end()
  await server.close()
})

async function rowsOf(sql: string): Promise<RowDataPacket[]> {
  return (await pool.query<RowDataPacket[]>(sql))[0]
}

describe('migrate', () => {
  it('creates the tables once for eight replicas that start together', async () => {
    const pools = Array.from({ length: 8 }, () => poolOf(server, { connectionLimit: 1 }))
    await Promise.all(pools.map((replica) => migrate(replica, { prefix: 'together_' })))
    expect(await rowsOf('SELECT * FROM together_schema')).toEqual([{ only_row: 1, version: 1, steps: 1 }])
    for (const replica of pools) await replica.end()
  })

  it('leaves what is there', async () => {
    await migrate(pool, { prefix: 'twice_' })
    const { clients } = await createMysqlStore(pool, { ...PATIENT, prefix: 'twice_' })
    await clients.insert('kept', aClient(), soon())
    await migrate(pool, { prefix: 'twice_' })
    expect(await clients.find('kept')).toBeDefined()
  })

  it.each([
    ['before its tables', ''],
    ['before its last table', 'DROP TABLE interrupted_schema'],
    ['before it counted', 'DELETE FROM interrupted_schema'],
  ])('goes on where it was interrupted %s', async (_, interruption) => {
    if (interruption !== '') await pool.query(interruption)
    await migrate(pool, { prefix: 'interrupted_' })
    await createMysqlStore(pool, { ...PATIENT, prefix: 'interrupted_' })
  })

  it('leaves nothing behind when a table is of another program', async () => {
    await pool.query('CREATE TABLE half_transient (name text)')
    await expect(migrate(pool, { prefix: 'half_' })).rejects.toThrow('not Grantkit')
    expect(await rowsOf(`SHOW TABLES LIKE 'half\\_%'`)).toHaveLength(1)
  })

  it('indexes no column that changes with every write', async () => {
    await migrate(pool, { prefix: 'indexed_' })
    const columns = `SELECT DISTINCT column_name AS name FROM information_schema.statistics
      WHERE table_schema = 'test' AND table_name IN ('indexed_client', 'indexed_grant', 'indexed_transient')`
    const names = (await rowsOf(columns)).map(({ name }) => name)
    expect(names.sort()).toEqual(['created_at', 'id', 'owner', 'subject', 'sweep_day'])
  })

  it('makes tables that survive a crash, with text of any language, where the database has other defaults', async () => {
    await pool.query('CREATE DATABASE old CHARACTER SET latin1')
    const own = poolOf({ url: server.url.replace(/test$/, 'old') })
    own.on(
      'connection',
      (connection) => void connection.query(`SET SESSION default_storage_engine = 'MyISAM'`),
    )
    await migrate(own)
    await own.end()
    const engines = await rowsOf(
      `SELECT DISTINCT engine AS name FROM information_schema.tables WHERE table_schema = 'old'`,
    )
    expect(engines).toEqual([{ name: 'InnoDB' }])
    const collations = await rowsOf(
      `SELECT DISTINCT collation_name AS name FROM information_schema.columns
       WHERE table_schema = 'old' AND collation_name IS NOT NULL ORDER BY name`,
    )
    expect(collations.map(({ name }) => name)).toEqual(['ascii_bin', 'utf8mb4_bin'])
  })
})

describe.each([
  ['migrate', (prefix: string) => migrate(pool, { prefix })],
  ['the store', (prefix: string) => createMysqlStore(pool, { prefix, sweeping: false })],
])('%s', (name, start) => {
  const prefix = name === 'migrate' ? 'm_' : 's_'

  it('uses tables to which a newer release has only added', async () => {
    await migrate(pool, { prefix: `${prefix}added_` })
    await pool.query(`UPDATE ${prefix}added_schema SET steps = 99`)
    await start(`${prefix}added_`)
  })

  it('refuses tables that only a newer release can use', async () => {
    await pool.query(`CREATE TABLE ${prefix}newer_schema AS SELECT 99 AS version, 99 AS steps`)
    await expect(start(`${prefix}newer_`)).rejects.toThrow(/version 99.*start that release/)
  })

  it.each([
    ['other columns', 'AS SELECT 1 AS colour'],
    ['two rows', 'AS SELECT 1 AS version, 1 AS steps UNION ALL SELECT 1, 1'],
  ])('refuses a table of versions with %s', async (_, definition) => {
    await pool.query(`DROP TABLE IF EXISTS ${prefix}foreign_schema`)
    await pool.query(`CREATE TABLE ${prefix}foreign_schema ${definition}`)
    await expect(start(`${prefix}foreign_`)).rejects.toThrow(/not Grantkit's/)
  })

  it.each(['', 'Grantkit_', 'a`; DROP TABLE x; --', 'x'.repeat(33), 'g1_'])(
    'refuses the prefix %j',
    async (prefix) => {
      await expect(async () => start(prefix)).rejects.toThrow('[a-z_]')
    },
  )
})

describe('the store', () => {
  it('says what to call when there are no tables', async () => {
    await expect(createMysqlStore(pool)).rejects.toThrow(/no tables of this release: call migrate\(\)/)
  })

  it.each([
    ['a table is missing', ''],
    ['a table is of another program', 'CREATE TABLE lost_client (id text)'],
  ])('refuses tables of which %s', async (_, definition) => {
    await pool.query('DROP TABLE IF EXISTS lost_schema')
    await pool.query('CREATE TABLE lost_schema AS SELECT 1 AS version, 99 AS steps')
    if (definition !== '') await pool.query(definition)
    await expect(createMysqlStore(pool, { prefix: 'lost_' })).rejects.toThrow(/not Grantkit's/)
  })
})
