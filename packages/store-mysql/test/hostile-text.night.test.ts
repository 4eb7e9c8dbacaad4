import { randomBytes } from 'node:crypto'
import { type MariaDbServer, startMariaDb } from '@grantkit/test-servers/mariadb-server'
import { aClient, aGrant, aTransient } from '@grantkit/testkit'
import type { Pool, PoolOptions, RowDataPacket } from 'mysql2/promise'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createMysqlStore, type MysqlStore, migrate } from '../src/index.ts'
import { PATIENT, poolOf, soon } from './pool.ts'

/** Databases cut text at NUL, fold lone surrogates, ignore case and spaces at the end, limit keys, or execute their input. */
const HOSTILE = [
  ['', 'nothing'],
  ['\0', 'NUL'],
  ['a\0b', 'a NUL inside'],
  ['a', 'what is before the NUL'],
  ['A', 'another case'],
  ['a ', 'a space at the end'],
  ['á', 'an accent'],
  ['\ud800', 'a lone surrogate'],
  ['\ud801', 'another lone surrogate'],
  ['\ufffd', 'what replaces both'],
  ['😀', 'a character beyond utf8mb3'],
  [randomBytes(100_000).toString('base64'), 'long text that cannot be compressed'],
  [`'); DROP TABLE grantkit_grant; --`, 'SQL'],
  [`\\'; DROP TABLE grantkit_grant; -- `, 'SQL after a backslash'],
  ['"', 'a quote'],
  ['%', 'a pattern'],
  ['?', 'a placeholder'],
] as const

let server: MariaDbServer
beforeAll(async () => {
  server = await startMariaDb('--innodb-flush-log-at-trx-commit=0')
})
afterAll(() => server.close())

const POOLS: readonly [string, string, PoolOptions, string][] = [
  ['as mysql2 makes it', 'plain_', {}, ''],
  [
    'with every option of its own',
    'special_',
    {
      charset: 'latin1',
      rowsAsArray: true,
      namedPlaceholders: true,
      supportBigNumbers: true,
      bigNumberStrings: true,
      nestTables: true,
      typeCast: () => 'nothing of use',
      flags: ['-FOUND_ROWS'],
    },
    'NO_BACKSLASH_ESCAPES,ANSI',
  ],
]

describe.each(POOLS)('over a pool %s', (_, prefix, options, sqlMode) => {
  let pool: Pool
  let store: MysqlStore
  beforeAll(async () => {
    pool = poolOf(server, options)
    pool.on('connection', (connection) => void connection.query(`SET SESSION sql_mode = '${sqlMode}'`))
    await migrate(pool, { prefix })
    store = await createMysqlStore(pool, { ...PATIENT, prefix })
  })
  afterAll(() => pool.end())

  it('every id, subject and value is one of its own', async () => {
    const { clients, grants, transients } = store
    for (const [text, name] of HOSTILE) {
      const client = aClient({ clientId: text, clientName: name })
      expect(await clients.insert(text, client, soon()), name).toBe(true)
      expect(await clients.insert(text, client, soon()), name).toBe(false)
      expect(await grants.insert(text, aGrant({ id: text, subject: text, nonce: name }), soon())).toBe(true)
      expect(await transients.insert(text, aTransient({ name, text }), soon()), name).toBe(true)
    }
    for (const [text, name] of HOSTILE) {
      expect((await clients.find(text))?.value).toMatchObject({ clientId: text, clientName: name })
      const grant = await grants.find(text)
      expect(grant?.value).toMatchObject({ id: text, nonce: name })
      expect((await transients.find(text))?.value).toMatchObject({ name, text })
      const list = await grants.list({ subject: text }, { limit: 200 })
      expect(list.grants.map(({ nonce }) => nonce)).toEqual([name])
      if (grant) expect(await grants.replace(text, grant, grant.value, soon()), name).toBe(true)
    }
  })

  it('a cursor of another maker leads to some page, and fails nothing', async () => {
    for (const [text] of HOSTILE)
      for (const after of [text, `1900000000.${text}`])
        await store.grants.list({ subject: 'a' }, { limit: 2, after })
  })

  it('a grant without a user is in no list, not even in the list of the empty subject', async () => {
    const before = (await store.grants.list({ subject: '' }, { limit: 200 })).grants.length
    await store.grants.insert('without', aGrant({ id: 'without', subject: undefined }), soon())
    expect((await store.grants.list({ subject: '' }, { limit: 200 })).grants).toHaveLength(before)
  })

  it('pages go on where the page before ended, and a scan finds every record once', async () => {
    const ids = Array.from({ length: 5 }, (_, index) => `page-${index}`)
    for (const id of ids) await store.grants.insert(id, aGrant({ id, subject: 'reader' }), soon())
    const found: string[] = []
    let after: string | undefined
    do {
      const page = await store.grants.list({ subject: 'reader' }, { limit: 2, after })
      found.push(...page.grants.map(({ id }) => id))
      after = page.next
    } while (after !== undefined)
    expect(found.sort()).toEqual(ids)
    const scanned: string[] = []
    for await (const { clientId } of store.clients.scan()) scanned.push(clientId)
    expect(scanned.sort()).toEqual(HOSTILE.map(([text]) => text).sort())
  })

  it('the tables name no subject in their keys', async () => {
    await store.grants.insert('of-alice', aGrant({ subject: 'alice@server.example' }), soon())
    const plain = poolOf(server)
    const [rows] = await plain.query<RowDataPacket[]>(`SELECT subject FROM ${prefix}grant`)
    await plain.end()
    expect(rows.length).toBeGreaterThan(0)
    for (const { subject } of rows) expect(subject).toMatch(/^([\w-]{43})?$/)
  })
})
