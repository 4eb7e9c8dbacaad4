import { type RedisServer, startRedis } from '@grantkit/test-servers/redis-server'
import { createClient } from '@redis/client'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { countersInRedis } from '../src/rate-limits.ts'

const WINDOW = { points: 2, seconds: 600 }

const clientOf = (url: string) => createClient({ url }).on('error', () => {})

let server: RedisServer
let client: ReturnType<typeof clientOf>
beforeAll(async () => {
  server = await startRedis()
  client = clientOf(server.url)
  await client.connect()
})
afterAll(async () => {
  client.destroy()
  await server.close()
})

/** Each of them is a replica: all that it knows of the others is in Redis. */
function replica() {
  const failures: unknown[] = []
  return { create: countersInRedis(client, (error) => failures.push(error)), failures }
}

it('replicas share the counts of a key, and each limit has its own', async () => {
  const replicas = [replica(), replica(), replica()]
  const guesses = replicas.map(({ create }) => create('guesses', WINDOW))
  const waits = []
  for (const counter of guesses) waits.push(await counter.take('ada'))
  expect(waits).toEqual([0, 0, expect.toSatisfy((seconds: number) => seconds > 590 && seconds <= 600)])
  expect(await replica().create('polls', WINDOW).take('ada')).toBe(0)
  await guesses[0]?.reset('ada')
  expect(await guesses[1]?.take('ada')).toBe(0)
  expect(replicas.flatMap(({ failures }) => failures)).toEqual([])
})

it('keys have a prefix for the limit, and show no address', async () => {
  await replica().create('network', WINDOW).take('203.0.113.7')
  const keys = await client.keys('grantkit:limit:network:*')
  expect(keys).toHaveLength(1)
  expect(keys[0]).not.toContain('203.0.113.7')
})

it('no attempt waits for Redis while there is no connection', async () => {
  const { create, failures } = replica()
  await server.stop()
  await expect.poll(() => client.isReady).toBe(false)
  expect(await create('guesses', WINDOW).take('bob')).toBe(0)
  expect(failures).toEqual([expect.objectContaining({ message: 'Redis connection is not ready' })])
})
