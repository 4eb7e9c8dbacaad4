import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { connectToPostgres } from '@grantkit/store-postgres'
import { type PostgresServer, startPostgres } from '@grantkit/test-servers/postgres-server'
import { sessionCookie } from '@grantkit/test-servers/session-cookie'
import { startProxy, type TcpProxy } from '@grantkit/test-servers/tcp-proxy'
import { temporaryFolder } from '@grantkit/test-servers/temporary-folder'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import type { Database } from '../src/database/database.ts'
import { connected } from './connected.ts'
import { runServer, WITH_API } from './running-server.ts'
import { signedIn } from './signed-in-browser.ts'

/** The connections to a Postgres that is slow or falls silent. */

let postgres: PostgresServer
let network: TcpProxy
beforeAll(async () => {
  postgres = await startPostgres('fsync=off')
  network = await startProxy(postgres.port)
})
afterAll(async () => {
  await network.close()
  await postgres.close()
})

const farUrl = () => postgres.url.replace(`${postgres.port}`, `${network.port}`)

it('fail a transaction in time when they do not respond, and roll it back', async () => {
  const database = await connected(farUrl())
  const row = { name: 'half', label: '', resolution: 1, start: 0, bucket: 0, count: 1 }
  const written = database.transaction().execute(async (transaction) => {
    await transaction.insertInto('statistic').values(row).execute()
    network.cut = true
    await transaction.deleteFrom('statistic').where('name', '=', 'nothing').execute()
  })
  await expect(written).rejects.toThrow('did not answer')
  network.cut = false
  const half = database.selectFrom('statistic').select('name').where('name', '=', 'half')
  expect(await half.execute()).toEqual([])
  await database
    .transaction()
    .execute((transaction) => transaction.insertInto('statistic').values(row).execute())
  expect(await half.execute()).toHaveLength(1)
  await database.deleteFrom('statistic').where('name', '=', 'half').execute()
})

it('of a server are ten at most, for its store and its database together', async () => {
  const { baseUrl, close } = await runServer({ DATABASE_URL: farUrl(), STORE_URL: '' }, {}, WITH_API)
  onTestFinished(close)
  const { access_token } = await signedIn(baseUrl, 'notes:read')
  const headers = { authorization: `Bearer ${access_token}` }
  network.latency = () => 20
  await Promise.all(Array.from({ length: 40 }, () => fetch(`${baseUrl}/api/notes`, { headers })))
  network.latency = () => 0
  const watcher = await connectToPostgres(postgres.url, { max: 1 })
  const { rows } = await watcher.query('SELECT 1 FROM pg_stat_activity WHERE client_port IS NOT NULL')
  await watcher.end()
  expect(rows.length - 1).toBeLessThanOrEqual(10)
})

it('serve others while a user with 5,000 grants opens the account page forty times, one page of them each', async () => {
  const server = await runServer({ DATABASE_URL: postgres.url, STORE_URL: '' })
  const { baseUrl } = server
  const sessions = ['demo', 'teacher'].map((word) => sessionCookie(baseUrl, `${word}@example.com`, word))
  const [busy, other] = await Promise.all(sessions)
  await signedIn(baseUrl, 'notes:read')
  const database = await connected(postgres.url)
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
  await server.close()
  const backends = database
    .selectFrom(sql`pg_stat_activity`.as('backend'))
    .where(sql`client_port`, 'is not', null)
  await expect.poll(() => backends.select(sql`1`.as('one')).execute()).toHaveLength(1)
  expect((await rowsRead(database)) - before).toBeLessThan(40 * 100)
})

it('take a password that rotates from its file: no request fails, and what is new has the new one', async () => {
  const admin = await connectToPostgres(postgres.url, { max: 1 })
  onTestFinished(() => admin.end())
  const rotate = (password: string) => admin.query(`alter role notes password '${password}'`)
  await admin.query('create role notes superuser login')
  await rotate('first')
  await admin.query(`do $$ begin
    execute format('copy (values (''host all notes all scram-sha-256''), (''host all all all trust'')) to %L',
      current_setting('hba_file')); end $$`)
  await admin.query('select pg_reload_conf()')
  const file = join(await temporaryFolder(), 'password')
  await writeFile(file, 'first')
  const DATABASE_URL = postgres.url.replace('postgres@', 'notes@')
  const settings = { DATABASE_URL, STORE_URL: '', DATABASE_PASSWORD_FILE: file }
  const { baseUrl, close, errors } = await runServer(settings, {}, WITH_API)
  onTestFinished(close)
  const { access_token } = await signedIn(baseUrl, 'notes:read')
  const headers = { authorization: `Bearer ${access_token}` }
  const statuses = new Set<number>()
  let isLoaded = true
  const load = Array.from({ length: 2 }, async () => {
    while (isLoaded) statuses.add((await fetch(`${baseUrl}/api/notes`, { headers })).status)
  })
  const pidsOf = async (role: string) =>
    (await admin.query('select pid from pg_stat_activity where usename = $1', [role])).rows.map(
      ({ pid }) => pid,
    )
  for (const password of ['second', 'third']) {
    await rotate(password)
    await writeFile(file, password)
    const before = await pidsOf('notes')
    // One by one, and while they do nothing: it is the next connection that is tested.
    await expect
      .poll(async () => {
        const idle = `select pg_terminate_backend(pid) from pg_stat_activity where pid = any($1) and state = 'idle' limit 1`
        await admin.query(idle, [before])
        return (await pidsOf('notes')).filter((pid) => before.includes(pid))
      })
      .toEqual([])
    await expect.poll(() => pidsOf('notes')).not.toEqual([])
  }
  isLoaded = false
  await Promise.all(load)
  expect(errors.map(String)).toEqual([])
  expect([...statuses]).toEqual([200])
  await expect(connectToPostgres(DATABASE_URL, { password: () => 'first' })).rejects.toThrow(
    'authentication failed',
  )
}, 120_000)

/** Of the table of grants. The backends of a server count what they read once they end. */
async function rowsRead(database: Database): Promise<number> {
  const { rows } = await sql<{ count: number }>`select (seq_tup_read + idx_tup_fetch)::integer as count
    from pg_stat_user_tables where relname = 'grantkit_grant'`.execute(database)
  return rows[0]?.count ?? 0
}
