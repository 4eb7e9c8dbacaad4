import { once } from 'node:events'
import { type SignedIn, signedIn } from '@grantkit/reference/test/tokens'
import { type Database, openDatabase } from '@grantkit/server/database'
import { type PostgresServer, startPostgres } from '@grantkit/test-servers/postgres-server'
import { startProxy, type TcpProxy } from '@grantkit/test-servers/tcp-proxy'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestCluster, type TestCluster } from '../cluster.ts'

/**
 * Three replicas on one Postgres, behind the shipped HAProxy. Forty apps refresh, and the answers are lost in an outage.
 * Every replica is killed, and starts again with a clock on which the outage has lasted long. The apps then repeat the
 * refresh.
 */

const APPS = 40
let server: PostgresServer
let network: TcpProxy
let database: Database
let cluster: TestCluster
/** Seconds by which the clocks of replicas that start now are ahead. */
let ahead = 0

beforeAll(async () => {
  server = await startPostgres('fsync=off', 'max_connections=100')
  network = await startProxy(server.port)
  const url = server.url.replace(`${server.port}`, `${network.port}`)
  cluster = await startTestCluster(3, { DATABASE_URL: url, STORE_URL: url }, () => ahead)
  database = await openDatabase(server.url, () => {})
})
afterAll(async () => {
  await cluster.stop()
  await database.destroy()
  await network.close()
  await server.close()
})

it('no app loses its grant when its answer was lost ten minutes ago', async () => {
  const apps: SignedIn[] = []
  while (apps.length < APPS) apps.push(await signedIn(cluster.baseUrl, 'courses:read'))
  await refreshAll(apps)
  const before = await versions()
  const unheard = await refreshedUnheard(apps, before)
  expect(unheard, 'apps whose refresh was carried out, without an answer').toBeGreaterThan(APPS / 4)
  ahead += 600
  await restartAll()
  expect(await refreshAll(apps)).toEqual(Array(APPS).fill(200))
  expect(await refreshAll(apps)).toEqual(Array(APPS).fill(200))
}, 120_000)

/** All at once. An app that gets new tokens keeps them. @returns the status of each, 0 without an answer */
function refreshAll(apps: SignedIn[]): Promise<number[]> {
  return Promise.all(
    apps.map(async (app, index) => {
      const { client_id, refresh_token } = app
      const body = new URLSearchParams({ grant_type: 'refresh_token', client_id, refresh_token })
      const answer = await fetch(`${cluster.baseUrl}/api/oauth/token`, { method: 'POST', body }).catch(
        () => undefined,
      )
      if (answer?.ok) apps[index] = { ...app, ...((await answer.json()) as SignedIn) }
      return answer?.status ?? 0
    }),
  )
}

/** Answers of Postgres are late, and lost from the moment when half of the refreshes are written. @returns how many are */
async function refreshedUnheard(apps: SignedIn[], before: ReadonlyMap<string, string>): Promise<number> {
  network.latency = () => 200
  const refreshing = refreshAll(apps)
  await expect.poll(() => rotatedSince(before), { interval: 10 }).toBeGreaterThan(APPS / 2)
  network.loseReplies = true
  const heard = (await refreshing).filter((status) => status === 200).length
  return (await rotatedSince(before)) - heard
}

async function rotatedSince(before: ReadonlyMap<string, string>): Promise<number> {
  return [...(await versions())].filter(([id, version]) => before.get(id) !== version).length
}

/** Of the grants in the store. */
async function versions(): Promise<ReadonlyMap<string, string>> {
  const { rows } = await sql<{ id: string; version: string }>`select id, version from grantkit_grant`.execute(
    database,
  )
  return new Map(rows.map(({ id, version }) => [id, version]))
}

/** While Postgres is out of reach, and after it. */
async function restartAll(): Promise<void> {
  for (const index of cluster.origins.keys()) {
    const ended = once(cluster.replica(index), 'exit')
    cluster.replica(index).kill('SIGKILL')
    await ended
  }
  network.reset()
  network.loseReplies = false
  network.latency = () => 0
  await Promise.all([...cluster.origins.keys()].map((index) => cluster.start(index)))
  await expect.poll(async () => (await fetch(`${cluster.baseUrl}/readyz`)).status).toBe(200)
}
