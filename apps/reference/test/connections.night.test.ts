import type { Database } from '@grantkit/server/internal/database/database'
import { connectToPostgres } from '@grantkit/store-postgres'
import { type PostgresServer, startPostgres } from '@grantkit/test-servers/postgres-server'
import { startProxy, type TcpProxy } from '@grantkit/test-servers/tcp-proxy'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import type { SchoolTables } from '../src/school/tables.ts'
import { connected } from './on-each-database.ts'
import { runService } from './service.ts'
import { signedIn } from './tokens.ts'
import { sessionCookie } from './user.ts'

/** The connections to a Postgres that is slow or falls silent. */

let server: PostgresServer
let network: TcpProxy
beforeAll(async () => {
  server = await startPostgres('fsync=off')
  network = await startProxy(server.port)
})
afterAll(async () => {
  await network.close()
  await server.close()
})

const farUrl = () => server.url.replace(`${server.port}`, `${network.port}`)

it('fail a transaction in time when they do not respond, and roll it back', async () => {
  const database = (await connected(farUrl())).withTables<Pick<SchoolTables, 'school_record'>>()
  const course = {
    area: 'courses',
    id: 'half',
    content: '{}',
    published: 0,
    words: '',
    revision: 1,
    added_at: '',
  }
  const written = database.transaction().execute(async (transaction) => {
    await transaction.insertInto('school_record').values(course).execute()
    network.cut = true
    await transaction.deleteFrom('school_record').where('id', '=', 'nothing').execute()
  })
  await expect(written).rejects.toThrow('did not answer')
  network.cut = false
  const half = database.selectFrom('school_record').select('id').where('id', '=', 'half')
  expect(await half.execute()).toEqual([])
  await database
    .transaction()
    .execute((transaction) => transaction.insertInto('school_record').values(course).execute())
  expect(await half.execute()).toHaveLength(1)
  await database.deleteFrom('school_record').where('id', '=', 'half').execute()
})

it('of a service are ten at most, for its store and its database together', async () => {
  const { baseUrl, close } = await runService({ DATABASE_URL: farUrl(), STORE_URL: '' })
  onTestFinished(close)
  const { access_token } = await signedIn(baseUrl, 'courses:read')
  const headers = { authorization: `Bearer ${access_token}` }
  network.latency = () => 20
  await Promise.all(Array.from({ length: 40 }, () => fetch(`${baseUrl}/api/courses`, { headers })))
  network.latency = () => 0
  const watcher = await connectToPostgres(server.url, { max: 1 })
  const { rows } = await watcher.query('SELECT 1 FROM pg_stat_activity WHERE client_port IS NOT NULL')
  await watcher.end()
  expect(rows.length - 1).toBeLessThanOrEqual(10)
})

it('serve others while a user with 5,000 grants opens the account page forty times, one page of them each', async () => {
  const service = await runService({ DATABASE_URL: server.url, STORE_URL: '' })
  const { baseUrl } = service
  const sessions = ['demo', 'teacher'].map((word) => sessionCookie(baseUrl, `${word}@example.com`, word))
  const [busy, other] = await Promise.all(sessions)
  await signedIn(baseUrl, 'courses:read')
  const database = await connected(server.url)
  await sql`insert into grantkit_grant (id, subject, version, value, expires_at, owner, created_at)
    select id || generate_series(1, 5000), subject, version, value, expires_at, owner, created_at
    from grantkit_grant limit 5000`.execute(database)
  // As autovacuum does within a minute.
  await sql`analyze grantkit_grant`.execute(database)
  const before = await rowsRead(database)
  const statusFor = async (cookie = '') =>
    (await fetch(`${baseUrl}/account`, { headers: { cookie }, redirect: 'manual' })).status
  const visits = [...Array(40).fill(busy), ...Array(10).fill(other)].map(statusFor)
  expect(new Set(await Promise.all(visits))).toEqual(new Set([200]))
  await service.close()
  const backends = database
    .selectFrom(sql`pg_stat_activity`.as('backend'))
    .where(sql`client_port`, 'is not', null)
  await expect.poll(() => backends.select(sql`1`.as('one')).execute()).toHaveLength(1)
  expect((await rowsRead(database)) - before).toBeLessThan(40 * 100)
})

/** Of the table of grants. The backends of a service count what they read once they end. */
async function rowsRead(database: Database): Promise<number> {
  const { rows } = await sql<{ count: number }>`select (seq_tup_read + idx_tup_fetch)::integer as count
    from pg_stat_user_tables where relname = 'grantkit_grant'`.execute(database)
  return rows[0]?.count ?? 0
}
