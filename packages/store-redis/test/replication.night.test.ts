import type { Store } from '@grantkit/core'
import { cli } from '@grantkit/test-servers/redis-cli'
import { type RedisServer, startRedis } from '@grantkit/test-servers/redis-server'
import { aClient, aGrant, aTransient } from '@grantkit/testkit'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { connectToRedis, createRedisStore, type RedisConnection } from '../src/index.ts'
import { PATIENT, soon } from './patient.ts'

/** Waiting for replicas: what it covers, and what the loss of a replica costs. */

const CHANGES = 100

let primary: RedisServer
let replica: RedisServer
let redis: RedisConnection
beforeAll(async () => {
  primary = await startRedis()
  replica = await startRedis('--replicaof', '127.0.0.1', `${primary.port}`)
  redis = await connectToRedis(primary.url)
  expect(await redis.wait(1, 10_000)).toBe(1)
})
afterEach(() => {
  vi.useRealTimers()
  replica.thaw()
})
afterAll(async () => {
  redis.destroy()
  await replica.close()
  await primary.close()
})

/** Changes as many grants at once. @returns the commands that Redis got and the reported shortfalls */
async function changed(timeout: number) {
  const shortfalls: number[] = []
  const onShortfall = (acknowledged: number) => shortfalls.push(acknowledged)
  const { grants } = createRedisStore(redis, {
    ...PATIENT,
    waitReplicas: { replicas: 1, timeout, onShortfall },
  })
  async function change(): Promise<string> {
    const grant = aGrant()
    await grants.insert(grant.id, grant, soon())
    const seen = await grants.find(grant.id)
    if (seen === undefined) throw new Error('The grant is not there')
    await grants.replace(grant.id, seen, { ...grant, usedAt: 7 }, soon())
    return grant.id
  }
  const changeAll = () => Promise.all(Array.from({ length: CHANGES }, change))
  await cli('-p', `${primary.port}`, 'config', 'resetstat')
  return { ids: await changeAll(), changeAll, shortfalls, waits }
}

async function waits(): Promise<number> {
  const stats = await cli('-p', `${primary.port}`, 'info', 'commandstats')
  return Number(/cmdstat_wait:calls=(\d+)/.exec(stats)?.[1] ?? 0)
}

it('changes that come together share a wait, and the replica has each when it is answered', async () => {
  const { ids, shortfalls } = await changed(5000)
  for (const id of ids)
    expect(await cli('-p', `${replica.port}`, 'get', `grantkit:grant:${id}`)).toContain('"usedAt":7')
  expect(await waits()).toBeLessThan(CHANGES / 2)
  expect(shortfalls).toEqual([])
})

it('a lost replica is waited for and reported once a second, and no longer delays every change', async () => {
  await replica.freeze()
  vi.useFakeTimers({ toFake: ['performance'] })
  const { changeAll, shortfalls } = await changed(50)
  await changeAll()
  expect([await waits(), shortfalls]).toEqual([1, [0]])
  vi.advanceTimersByTime(1000)
  await changeAll()
  expect([await waits(), shortfalls]).toEqual([2, [0, 0]])
})

// Shorter than the silence after which a connection is replaced.
it('a replica that is back is waited for again', async () => {
  await replica.freeze()
  vi.useFakeTimers({ toFake: ['performance'] })
  const { changeAll, shortfalls } = await changed(1500)
  replica.thaw()
  await expect.poll(() => redis.wait(1, 1000)).toBe(1)
  vi.advanceTimersByTime(1000)
  await cli('-p', `${primary.port}`, 'config', 'resetstat')
  await changeAll()
  await changeAll()
  expect(await waits()).toBeGreaterThan(1)
  expect(shortfalls).toEqual([0])
})

it.each<[string, (store: Store) => Promise<boolean> | undefined]>([
  ['grant', ({ grants }) => grants.insert('new', aGrant({ id: 'new' }), soon())],
  ['client', ({ clients }) => clients.insert('new', aClient(), soon())],
  ['transient', ({ transients }) => transients?.insert('new', aTransient(), soon())],
])('a new %s waits as a change does', async (_, insert) => {
  await replica.freeze()
  const shortfalls: number[] = []
  const onShortfall = (acknowledged: number) => void shortfalls.push(acknowledged)
  const waiting = { replicas: 1, timeout: 50, onShortfall }
  const store = createRedisStore(redis, { ...PATIENT, waitReplicas: waiting })
  expect(await insert(store)).toBe(true)
  expect(shortfalls).toEqual([0])
  expect(await insert(store), 'it exists').toBe(false)
})
