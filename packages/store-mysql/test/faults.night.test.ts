import { setTimeout as sleep } from 'node:timers/promises'
import { type MariaDbServer, startMariaDb } from '@grantkit/test-servers/mariadb-server'
import { startProxy, type TcpProxy } from '@grantkit/test-servers/tcp-proxy'
import { aGrant } from '@grantkit/testkit'
import type { Pool } from 'mysql2/promise'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createMysqlStore, type MysqlStore, migrate } from '../src/index.ts'
import { poolOf, soon } from './pool.ts'

/** Many count together in the same grants while everything breaks. No count that was acknowledged may be lost or doubled. */

const CONTENDERS = 4
const FAULTS = 5

let server: MariaDbServer
let network: TcpProxy
let pool: Pool
let store: MysqlStore
beforeAll(async () => {
  server = await startMariaDb()
  network = await startProxy(server.port)
  pool = poolOf({ url: server.url.replace(`${server.port}`, `${network.port}`) })
  await migrate(pool)
  store = await createMysqlStore(pool)
})
afterAll(async () => {
  store.close()
  await pool.end()
  await network.close()
  await server.close()
})

it.each([
  ['crashes', () => server.restart()],
  ['loses its connections', async () => network.reset()],
  [
    'answers, and the reply is lost',
    async () => {
      network.loseReplies = true
      await sleep(200)
      network.reset()
      network.loseReplies = false
    },
  ],
  [
    'is out of reach for a moment',
    async () => {
      network.cut = true
      await sleep(400)
      network.cut = false
      // A connection attempt times out after a second.
      await sleep(1000)
    },
  ],
  [
    'is slow at times',
    async () => {
      network.latency = () => (Math.random() < 0.1 ? 600 : 0)
      await sleep(200)
    },
  ],
])('loses and doubles no write while MySQL %s', async (_, fault) => {
  const counts = Array.from({ length: 10 }, () => ({ id: '', written: 0, unknown: 0 }))
  for (const count of counts) {
    const grant = aGrant({ usedAt: 0 })
    count.id = grant.id
    await expect
      .poll(() => store.grants.insert(grant.id, grant, soon()).catch(() => 'rejected'), { timeout: 10_000 })
      .not.toBe('rejected')
  }
  const work = { over: false }
  const contenders = counts.flatMap((count) => Array.from({ length: CONTENDERS }, () => countUp(count, work)))
  for (let round = 0; round < FAULTS; round++) {
    await fault()
    await sleep(50 + 100 * Math.random())
  }
  // Whatever the fault was, the store serves again.
  network.latency = () => 0
  const before = sumOf(counts)
  await expect.poll(() => sumOf(counts), { timeout: 10_000 }).toBeGreaterThan(before)
  work.over = true
  await Promise.all(contenders)
  for (const count of counts) {
    const usedAt = () => store.grants.find(count.id).then((found) => found?.value.usedAt)
    await expect
      .poll(() => usedAt().catch(() => -1), { timeout: 10_000 })
      .toBeGreaterThanOrEqual(count.written)
    expect(await usedAt()).toBeLessThanOrEqual(count.written + count.unknown)
  }
})

function sumOf(counts: readonly { readonly written: number }[]): number {
  return counts.reduce((sum, { written }) => sum + written, 0)
}

async function countUp(
  count: { readonly id: string; written: number; unknown: number },
  work: { readonly over: boolean },
): Promise<void> {
  while (!work.over) {
    const seen = await store.grants.find(count.id).catch(() => undefined)
    if (seen === undefined) continue
    const next = { ...seen.value, usedAt: seen.value.usedAt + 1 }
    try {
      if (await store.grants.replace(count.id, seen, next, soon())) count.written++
    } catch {
      count.unknown++
    }
  }
}
