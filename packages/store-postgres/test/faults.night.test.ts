import { type PostgresServer, startPostgres } from '@grantkit/test-servers/postgres-server'
import { startProxy, type TcpProxy } from '@grantkit/test-servers/tcp-proxy'
import type { Pool } from 'pg'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { connectToPostgres, createPostgresStore, migrate, type PostgresStore } from '../src/index.ts'
import { countDuring } from './counting.ts'

/** Many count together in the same grants while everything breaks. */

const FAULTS = 5

let server: PostgresServer
let network: TcpProxy
let pool: Pool
let store: PostgresStore
beforeAll(async () => {
  server = await startPostgres()
  network = await startProxy(server.port)
  pool = await connectToPostgres(server.url.replace(`${server.port}`, `${network.port}`))
  await migrate(pool)
  store = await createPostgresStore(pool)
})
afterEach(() => {
  Object.assign(network, { loseReplies: false, cut: false, latency: () => 0 })
})
afterAll(async () => {
  await pool.end()
  await network.close()
  await server.close()
})

it.each([
  ['crashes', () => server.restart()],
  ['loses its connections', async () => network.reset()],
  [
    'answers, and the answer is lost',
    async (more: () => Promise<void>) => {
      network.loseReplies = true
      await more()
      network.reset()
      network.loseReplies = false
    },
  ],
  [
    'is out of reach for a moment',
    async (more: () => Promise<void>) => {
      network.cut = true
      await more()
      network.cut = false
    },
  ],
  [
    'is slow at times',
    async () => {
      network.latency = () => (Math.random() < 0.1 ? 600 : 0)
    },
  ],
])('loses and doubles no write while Postgres %s', async (_, fault) => {
  const { written } = await countDuring(store, async (more) => {
    for (let round = 0; round < FAULTS; round++) {
      await fault(more)
      await more()
    }
    network.latency = () => 0
    await more()
  })
  expect(written).toBeGreaterThan(FAULTS)
})
