import { type MariaDbServer, startMariaDb } from '@grantkit/test-servers/mariadb-server'
import { startProxy, type TcpProxy } from '@grantkit/test-servers/tcp-proxy'
import { aGrant } from '@grantkit/testkit'
import type { Pool } from 'mysql2/promise'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
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
  pool = poolOf({ url: server.url.replace(`${server.port}`, `${network.port}`) }, { connectTimeout: 1000 })
  await migrate(pool)
  store = await createMysqlStore(pool)
})
afterEach(() => {
  Object.assign(network, { loseReplies: false, cut: false, latency: () => 0 })
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
])('loses and doubles no write while MySQL %s', async (_, fault) => {
  const counts = Array.from({ length: 10 }, () => ({ id: '', written: 0, unknown: 0 }))
  for (const count of counts) {
    const grant = aGrant({ usedAt: 0 })
    count.id = grant.id
    await expect
      .poll(() => store.grants.insert(grant.id, grant, soon()).catch(() => 'rejected'))
      .not.toBe('rejected')
  }
  const work = { over: false, attempts: 0 }
  const contenders = counts.flatMap((count) => Array.from({ length: CONTENDERS }, () => countUp(count, work)))
  /** Waits for as many attempts as there are contenders, whatever comes of them. */
  const more = () => {
    const enough = work.attempts + contenders.length
    return expect.poll(() => work.attempts).toBeGreaterThanOrEqual(enough)
  }
  try {
    for (let round = 0; round < FAULTS; round++) {
      await fault(more)
      await more()
    }
    // Whatever the fault was, the store serves again.
    network.latency = () => 0
    const before = sumOf(counts)
    await expect.poll(() => sumOf(counts)).toBeGreaterThan(before)
  } finally {
    work.over = true
  }
  await Promise.all(contenders)
  for (const count of counts) {
    const usedAt = () => store.grants.find(count.id).then((found) => found?.value.usedAt)
    await expect.poll(() => usedAt().catch(() => -1)).toBeGreaterThanOrEqual(count.written)
    expect(await usedAt()).toBeLessThanOrEqual(count.written + count.unknown)
  }
})

function sumOf(counts: readonly { readonly written: number }[]): number {
  return counts.reduce((sum, { written }) => sum + written, 0)
}

async function countUp(
  count: { readonly id: string; written: number; unknown: number },
  work: { readonly over: boolean; attempts: number },
): Promise<void> {
  for (; !work.over; work.attempts++) {
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
