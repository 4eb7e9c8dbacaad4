import { encodeRecord, subjectKey } from '@grantkit/core/store-kit'
import { type PostgresServer, startPostgres } from '@grantkit/test-servers/postgres-server'
import { aClient, aGrant } from '@grantkit/testkit'
import type { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createPostgresStore, migrate } from '../src/index.ts'
import { PATIENT, poolOf, soon } from './patient.ts'

let server: PostgresServer
let pool: Pool
beforeAll(async () => {
  server = await startPostgres('fsync=off')
  pool = poolOf(server.url)
})
afterAll(async () => {
  await pool.end()
  await server.close()
})

describe('migrate', () => {
  it('creates the tables once for eight replicas that start together', async () => {
    const pools = Array.from({ length: 8 }, () => poolOf(server.url, { max: 1 }))
    await Promise.all(pools.map((replica) => migrate(replica, { prefix: 'together_' })))
    const { rows } = await pool.query('SELECT version FROM together_schema')
    expect(rows).toEqual([{ version: 1 }])
    for (const replica of pools) await replica.end()
  })

  it('leaves what is there', async () => {
    await migrate(pool, { prefix: 'twice_' })
    const { clients } = await createPostgresStore(pool, { ...PATIENT, prefix: 'twice_' })
    await clients.insert('kept', aClient(), soon())
    await migrate(pool, { prefix: 'twice_' })
    expect(await clients.find('kept')).toBeDefined()
  })

  it('leaves nothing behind when it fails', async () => {
    await pool.query('CREATE TABLE half_transient (name text)')
    await expect(migrate(pool, { prefix: 'half_' })).rejects.toThrow('not Grantkit')
    const { rows } = await pool.query(`SELECT tablename FROM pg_tables WHERE tablename LIKE 'half\\_%'`)
    expect(rows).toEqual([{ tablename: 'half_transient' }])
  })

  it('keeps the grants of the release before, and those that its replicas still open, in the list of their subject', async () => {
    const names = 'id, version, value, expires_at, subject'
    const grant = (id: string) => {
      const values = [id, 'v', encodeRecord(aGrant({ id, subject: 'alice' })), soon(), subjectKey('alice')]
      return pool.query(`INSERT INTO before_grant (${names}) VALUES ($1, $2, $3, $4, $5)`, values)
    }
    await migrate(pool, { prefix: 'before_' })
    await pool.query(`ALTER TABLE before_grant DROP COLUMN owner, DROP COLUMN created_at;
      CREATE INDEX before_grant_subject ON before_grant (subject);
      UPDATE before_schema SET steps = 1`)
    await grant('earlier')
    await migrate(pool, { prefix: 'before_' })
    await grant('of an earlier replica')
    const { grants } = await createPostgresStore(pool, { ...PATIENT, prefix: 'before_' })
    const now = aGrant({ id: 'now', subject: 'alice' })
    await grants.insert(now.id, now, soon())
    const ids = []
    let after: string | undefined
    do {
      const page = await grants.list({ subject: 'alice' }, { limit: 1, after })
      ids.push(...page.grants.map(({ id }) => id))
      after = page.next
    } while (after !== undefined)
    expect(ids).toEqual(['now', 'of an earlier replica', 'earlier'])
  })

  it('indexes no column that changes with every write', async () => {
    await migrate(pool, { prefix: 'indexed_' })
    const { rows } = await pool.query(`SELECT indexdef FROM pg_indexes WHERE tablename LIKE 'indexed\\_%'`)
    expect(rows).toHaveLength(8)
    for (const { indexdef } of rows) expect(indexdef).not.toMatch(/version|value|expires_at/)
  })
})

describe.each([
  ['migrate', (prefix: string) => migrate(pool, { prefix })],
  ['the store', (prefix: string) => createPostgresStore(pool, { ...PATIENT, prefix })],
])('%s', (name, start) => {
  const prefix = name === 'migrate' ? 'm_' : 's_'

  it('uses tables to which a newer release has only added', async () => {
    await migrate(pool, { prefix: `${prefix}added_` })
    await pool.query(`UPDATE ${prefix}added_schema SET steps = 99`)
    await start(`${prefix}added_`)
  })

  it('refuses tables that only a newer release can use', async () => {
    await pool.query(`CREATE TABLE ${prefix}newer_schema AS SELECT 99 AS version`)
    await expect(start(`${prefix}newer_`)).rejects.toThrow(/version 99.*start that release/)
  })

  it.each([
    ['other columns', 'AS SELECT 1 AS colour'],
    ['no row', '(version integer)'],
    ['two rows', 'AS SELECT * FROM (VALUES (1), (1)) AS rows (version)'],
  ])('refuses a table of versions with %s', async (_, definition) => {
    await pool.query(
      `DROP TABLE IF EXISTS ${prefix}foreign_schema; CREATE TABLE ${prefix}foreign_schema ${definition}`,
    )
    await expect(start(`${prefix}foreign_`)).rejects.toThrow(/not Grantkit's/)
  })

  it.each(['', 'Grantkit_', 'a"; DROP TABLE x; --', 'x'.repeat(33), 'g1_'])(
    'refuses the prefix %j',
    async (prefix) => {
      await expect(async () => start(prefix)).rejects.toThrow('[a-z_]')
    },
  )
})

describe('the store', () => {
  it('says what to call when there are no tables', async () => {
    await expect(createPostgresStore(pool, PATIENT)).rejects.toThrow(
      /no tables of this release: call migrate\(\)/,
    )
  })

  it('rejects tables of another version', async () => {
    await pool.query(
      `CREATE TABLE lost_schema AS SELECT 1 AS version, 99 AS steps; CREATE TABLE lost_client (id text)`,
    )
    await expect(createPostgresStore(pool, { ...PATIENT, prefix: 'lost_' })).rejects.toThrow(/not Grantkit's/)
  })
})
