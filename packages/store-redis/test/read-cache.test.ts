import { setTimeout as sleep } from 'node:timers/promises'
import type { Grant, Store } from '@grantkit/core'
import { cli } from '@grantkit/test-servers/redis-cli'
import { type RedisServer, startRedis } from '@grantkit/test-servers/redis-server'
import { startProxy, type TcpProxy } from '@grantkit/test-servers/tcp-proxy'
import { aGrant } from '@grantkit/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectToRedis, createRedisStore, type RedisConnection } from '../src/index.ts'

const TTL = 1000

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
  cached = createRedisStore(guard)
  store = createRedisStore(issuer)
})
afterAll(async () => {
  guard.destroy()
  issuer.destroy()
  await network.close()
  await server.close()
})

async function insertGrant(): Promise<Grant> {
  const grant = aGrant()
  await store.grants.insert(grant.id, grant, Math.floor(Date.now() / 1000) + 600)
  return grant
}

/** The number of GETs that the server got since the last call. */
async function reads(): Promise<number> {
  const { port } = server
  const stats = await cli('-p', `${port}`, 'info', 'commandstats')
  await cli('-p', `${port}`, 'config', 'resetstat')
  return Number(/cmdstat_get:calls=(\d+)/.exec(stats)?.[1] ?? 0)
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
    const end = Math.floor(Date.now() / 1000) + 600
    await store.grants.replace(changed.id, seen, { ...changed, usedAt: 5 }, end)
    await expect.poll(() => cached.grants.find(removed.id), { timeout: TTL / 2 }).toBeUndefined()
    await expect
      .poll(() => cached.grants.find(changed.id), { timeout: TTL / 2 })
      .toMatchObject({ value: { usedAt: 5 } })
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
    await expect.poll(found, { timeout: 5000 }).toBe('gone')
  })

  it('trusts a record no longer than its maximum age when the network is down', async () => {
    const { id } = await insertGrant()
    await cached.grants.find(id)
    network.cut = true
    await store.grants.remove(id)
    expect(await cached.grants.find(id), 'a revocation that nobody could bring').toBeDefined()
    await sleep(TTL)
    await expect(cached.grants.find(id)).rejects.toThrow()
    network.cut = false
  })
})
