import { startPgBouncer } from '@grantkit/test-servers/pgbouncer'
import { startPostgres } from '@grantkit/test-servers/postgres-server'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openDatabase } from '../src/database/database.ts'
import { noDeadlines, refresh, register, statuses } from './limited-requests.ts'
import { type RunningServer, runServer } from './running-server.ts'
import { signedIn } from './signed-in-browser.ts'

/** Two replicas behind a PgBouncer in transaction mode that is older than 1.21: Debian's. */

let postgres: string
const replicas: RunningServer[] = []
const open: { close(): Promise<void> }[] = []

beforeAll(async () => {
  const server = await startPostgres('fsync=off')
  const bouncer = await startPgBouncer(server.port)
  open.push(bouncer, server)
  postgres = server.url
  const SECRET = 'the same on every replica, and long enough'
  for (let n = 0; n < 2; n++)
    replicas.push(await runServer({ DATABASE_URL: bouncer.url, POSTGRES_PREPARE: 'off', SECRET }))
})
afterAll(async () => {
  for (const part of [...replicas, ...open]) await part.close()
})

const [first, second] = [() => replica(0), () => replica(1)]
function replica(n: number): RunningServer {
  const server = replicas[n]
  if (server === undefined) throw new Error(`Replica ${n} has not started`)
  return server
}

it('signs in at one replica and refreshes at the other, all users at once', async () => {
  const users = Array.from({ length: 6 }, () => signedIn(first().baseUrl, 'notes:read'))
  const apps = await Promise.all(users)
  const refreshes = apps.flatMap(({ client_id, refresh_token }) =>
    [first(), second()].map((server) => refresh(server, client_id, refresh_token)),
  )
  expect((await Promise.all(refreshes)).map(({ status }) => status)).toEqual(Array(12).fill(200))
  expect(replicas.flatMap(({ errors }) => errors)).toEqual([])
})

it('counts for both replicas together', async () => {
  noDeadlines()
  const database = await openDatabase(postgres, () => {})
  await sql`delete from rate_limit`.execute(database)
  const answers = await statuses(102, (n) => register(replica(n % 2)))
  expect(answers).toEqual([...Array(100).fill(201), 429, 429])
  await database.destroy()
})
