import { randomUUID } from 'node:crypto'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Store } from '@grantkit/core'
import type { Grant } from '@grantkit/core/feature'
import { cli } from '@grantkit/test-servers/redis-cli'
import { type RedisServer, startRedis } from '@grantkit/test-servers/redis-server'
import { startProxy, type TcpProxy } from '@grantkit/test-servers/tcp-proxy'
import { aGrant } from '@grantkit/testkit'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { connectToRedis, createRedisStore, type RedisConnection } from '../src/index.ts'
import { PATIENT, soon } from './patient.ts'

const TTL = 600_000

let server: RedisServer
let network: TcpProxy
let guard: RedisConnection
let issuer: RedisConnection
let cached: Store
let store: Store
beforeAll(async () => {
  server = await startRedis()
  network = await startProxy(server.port)
  guard = await connectToRedis(network.url, { readCache: { maxEntries: 1000, ttl: TTL } })
  issuer = await connectToRedis(server.url)
  cached = createRedisStore(guard, PATIENT)
  store = createRedisStore(issuer, PATIENT)
})
afterEach(() => {
  vi.useRealTimers()
  network.cut = false
})
afterAll(async () => {
  guard.destroy()
  issuer.destroy()
  await network.close()
  await server.close()
})

async function insertGrant(): Promise<Grant> {
  const grant = aGrant()
  await store.grants.insert(grant.id, grant, soon())
  return grant
}

/** A hundred at once. */
async function inHundreds<Result>(count: number, one: () => Promise<Result>): Promise<Result[]> {
  const results: Result[] = []
  while (results.length < count) results.push(...(await Promise.all(Array.from({ length: 100 }, one))))
  return results
}

/** The number of GETs that the server got since the last call. */
async function reads(): Promise<number> {
  const { port } = server
  const stats = await cli('-p', `${port}`, 'info', 'commandstats')
  await cli('-p', `${port}`, 'config', 'resetstat')
  return Number(/cmdstat_get:calls=(\d+)/.exec(stats)?.[1] ?? 0)
}

async function heapUsed(): Promise<number> {
  await new Promise(setImmediate)
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  return process.memoryUsage().heapUsed
}

describe('the read cache', () => {
  it('asks Redis once for a record that is read often', async () => {
    const { id } = await insertGrant()
    await reads()
    for (let time = 0; time < 20; time++) expect(await cached.grants.find(id)).toBeDefined()
    expect(await reads()).toBe(1)
  })

  it('drops a record that another replica removed or changed, as soon as Redis reports it', async () => {
    const [removed, changed] = [await insertGrant(), await insertGrant()]
    for (const { id } of [removed, changed]) await cached.grants.find(id)
    await store.grants.remove(removed.id)
    const seen = await store.grants.find(changed.id)
    if (seen === undefined) throw new Error('The grant is gone')
    await store.grants.replace(changed.id, seen, { ...changed, usedAt: 5 }, soon())
    await expect.poll(() => cached.grants.find(removed.id)).toBeUndefined()
    await expect.poll(() => cached.grants.find(changed.id)).toMatchObject({ value: { usedAt: 5 } })
  })

  it('keeps the records that are read most recently, up to its limit', async () => {
    const [often, ...others] = await inHundreds(1500, insertGrant)
    for (const { id } of others) {
      await cached.grants.find(id)
      await cached.grants.find(often?.id ?? '')
    }
    await reads()
    await cached.grants.find(often?.id ?? '')
    for (const { id } of others.slice(-400).toReversed()) expect(await cached.grants.find(id)).toBeDefined()
    expect(await reads()).toBe(0)
    for (const { id } of others.slice(0, 400)) await cached.grants.find(id)
    expect(await reads(), 'the oldest are gone').toBe(400)
  })

  it('keeps nothing of what has left it, however many ids are made up', async () => {
    const find = async () => void (await cached.grants.find(randomUUID()))
    await inHundreds(2000, find)
    const before = await heapUsed()
    for (let batch = 0; batch < 40; batch++) await inHundreds(1000, find)
    expect((await heapUsed()) - before).toBeLessThan(4e6)
  })

  it('keeps no failure', async () => {
    const { id } = await insertGrant()
    network.reset()
    const found = () => cached.grants.find(id).then((record) => record?.value.id, String)
    await expect.poll(found).toBe(id)
  })

  it('is empty after a connection that broke', async () => {
    const { id } = await insertGrant()
    await cached.grants.find(id)
    network.reset()
    await store.grants.remove(id)
    const found = () =>
      cached.grants.find(id).then(
        (record) => record?.value.id ?? 'gone',
        () => 'unreachable',
      )
    await expect.poll(found).toBe('gone')
  })

  it('trusts a record no longer than its maximum age when the network is down', async () => {
    const { id } = await insertGrant()
    await cached.grants.find(id)
    network.cut = true
    await store.grants.remove(id)
    expect(await cached.grants.find(id), 'a revocation without a notification').toBeDefined()
    vi.useFakeTimers({ toFake: ['performance'] })
    vi.advanceTimersByTime(2 * TTL)
    await expect(createRedisStore(guard).grants.find(id)).rejects.toThrow()
  })
})
