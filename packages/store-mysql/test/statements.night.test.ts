import { createAuthorizationServer } from '@grantkit/core'
import { subjectKey } from '@grantkit/core/store-kit'
import { type MariaDbServer, startMariaDb } from '@grantkit/test-servers/mariadb-server'
import { aGrant } from '@grantkit/testkit'
import { alwaysSignedIn, testClient } from '@grantkit/testkit/client'
import type { Pool, PoolConnection, RowDataPacket } from 'mysql2/promise'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createMysqlStore, type MysqlStore, migrate } from '../src/index.ts'
import { statementsOf } from '../src/statements.ts'
import { PATIENT, poolOf, soon } from './pool.ts'

/** How many statements and rows the work of the store takes. */

let server: MariaDbServer
let pool: Pool
let store: MysqlStore
beforeAll(async () => {
  server = await startMariaDb('--innodb-flush-log-at-trx-commit=0')
  pool = poolOf(server)
  await migrate(pool)
  store = await createMysqlStore(pool, PATIENT)
})
afterAll(async () => {
  await pool.end()
  await server.close()
})

async function status(database: Pool | PoolConnection, scope: string, name: string) {
  const [rows] = await database.query<RowDataPacket[]>(`SHOW ${scope} STATUS LIKE '${name}'`)
  return new Map(rows.map((row) => [String(row.Variable_name), Number(row.Value)]))
}

/** What some work adds to counters of the server. */
async function countsOf(work: () => Promise<unknown>) {
  const names = ['Com_select', 'Com_update', 'Com_insert', 'Com_delete', 'Handler_update']
  const counters = async () => {
    const all = new Map([
      ...(await status(pool, 'GLOBAL', 'Com_%')),
      ...(await status(pool, 'GLOBAL', 'Handler_%')),
    ])
    return names.map((name) => all.get(name) ?? 0)
  }
  const before = await counters()
  await work()
  const after = await counters()
  return Object.fromEntries(names.map((name, index) => [name, (after[index] ?? 0) - (before[index] ?? 0)]))
}

async function withTokens() {
  const server = createAuthorizationServer({
    issuer: 'https://server.example',
    store,
    scopes: { read: { description: 'Read' } },
    secret: 'a secret of the tests, long enough to pass',
    interaction: alwaysSignedIn({ authTime: () => soon() - 600 }),
  })
  const client = await testClient(server)
  return { client, tokens: await client.tokens('read') }
}

describe('a refresh', () => {
  it('reads its client and its grant, and writes one row by one statement', async () => {
    const { client, tokens } = await withTokens()
    const counts = await countsOf(() => client.refresh(tokens.refresh_token))
    expect(counts).toEqual({
      Com_select: 2,
      Com_update: 1,
      Com_insert: 0,
      Com_delete: 0,
      Handler_update: 1,
    })
  })

  it('of one token, fifty times at once, has one successor, which works', async () => {
    const { client, tokens } = await withTokens()
    let answers: Awaited<ReturnType<typeof client.refresh>>[] = []
    const counts = await countsOf(async () => {
      answers = await Promise.all(Array.from({ length: 50 }, () => client.refresh(tokens.refresh_token)))
    })
    expect(new Set(answers.map(({ status, refresh_token }) => `${status} ${refresh_token}`)).size).toBe(1)
    expect(answers[0]?.status).toBe(200)
    expect(counts.Handler_update).toBe(1)
    const [answer] = answers
    expect((await client.refresh(answer?.refresh_token ?? '')).status).toBe(200)
  })
})

it('a write takes one statement, also when it is refused', async () => {
  const grant = aGrant()
  const counts = await countsOf(async () => {
    for (const inserted of [true, false])
      expect(await store.grants.insert(grant.id, grant, soon())).toBe(inserted)
  })
  expect(counts).toMatchObject({ Com_insert: 2, Com_select: 0 })
})

it.each([
  ['a subject', 'listBySubject', subjectKey('busy')],
  ['a subject and a client', 'listByOwner', subjectKey('busy', 'client-sample')],
] as const)('a page of %s reads its own rows alone, of a thousand', async (_, name, key) => {
  const [present] = await pool.query<RowDataPacket[]>(
    `SELECT 1 FROM grantkit_grant WHERE subject = ? LIMIT 1`,
    [subjectKey('busy')],
  )
  if (present.length === 0) await insertThousand()
  const sql = statementsOf('grantkit_grant', [], 10_000)[name]
  const connection = await pool.getConnection()
  await connection.query('FLUSH STATUS')
  const [rows] = await connection.execute<RowDataPacket[]>(sql, [
    key,
    1_800_000_300,
    1_800_000_300,
    'x',
    0,
    '50',
  ])
  const reads = await status(connection, 'SESSION', 'Handler_read%')
  connection.release()
  expect(rows).toHaveLength(50)
  expect([...reads.values()].reduce((sum, count) => sum + count)).toBeLessThanOrEqual(52)
})

function insertThousand() {
  return Promise.all(
    Array.from({ length: 1000 }, (_, index) => {
      const grant = aGrant({ subject: 'busy', createdAt: 1_800_000_000 + Math.floor(index / 2) })
      return store.grants.insert(grant.id, grant, soon())
    }),
  )
}
