import { connectToPostgres } from '@grantkit/store-postgres'
import { type PostgresServer, startPostgres } from '@grantkit/test-servers/postgres-server'
import { startProxy, type TcpProxy } from '@grantkit/test-servers/tcp-proxy'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { connected } from './on-both-databases.ts'
import { runService } from './service.ts'
import { signedIn } from './tokens.ts'

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

it('fail a transaction in time when they fall silent, and leave nothing of it', async () => {
  const database = await connected(farUrl())
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
  await Promise.all(Array.from({ length: 100 }, () => fetch(`${baseUrl}/api/courses`, { headers })))
  network.latency = () => 0
  const watcher = await connectToPostgres(server.url, { max: 1 })
  const { rows } = await watcher.query('SELECT 1 FROM pg_stat_activity WHERE client_port IS NOT NULL')
  await watcher.end()
  expect(rows.length - 1).toBeLessThanOrEqual(10)
})
