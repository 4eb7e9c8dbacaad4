import { type RedisServer, startRedis } from '@grantkit/test-servers/redis-server'
import { aGrant } from '@grantkit/testkit'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { connectToRedis, createRedisStore, type RedisCommands, type RedisConnection } from '../src/index.ts'

/** The lists of grants, while Redis is slow or fails. */

const soon = () => Math.floor(Date.now() / 1000) + 600

let server: RedisServer
let redis: RedisConnection
beforeAll(async () => {
  server = await startRedis()
  redis = await connectToRedis(server.url)
})
afterAll(async () => {
  redis.destroy()
  await server.close()
})

/** The same connection, with another way to send some commands. */
function connectionWith(commands: Partial<RedisCommands>): RedisCommands {
  return Object.assign(Object.create(redis) as RedisCommands, commands)
}

it('a grant whose write is slow is not dropped by a listing meanwhile', async () => {
  const other = createRedisStore(redis)
  const slow = connectionWith({
    async evalSha(sha1, given) {
      if (given.keys[0]?.includes(':grant:'))
        for (let time = 0; time < 20; time++) await other.grants.listBySubject('slow')
      return redis.evalSha(sha1, given)
    },
  })
  const grant = aGrant({ subject: 'slow' })
  await createRedisStore(slow).grants.insert(grant.id, grant, soon())
  expect(await other.grants.listBySubject('slow')).toEqual([grant])
})

it('a grant whose entry failed gets one when its insert is repeated', async () => {
  let outage = true
  const failing = connectionWith({
    async evalSha(sha1, given) {
      if (outage && given.keys[0]?.includes(':subject:')) throw new Error('The connection broke')
      return redis.evalSha(sha1, given)
    },
  })
  const store = createRedisStore(failing)
  const grant = aGrant({ subject: 'repeated' })
  await expect(store.grants.insert(grant.id, grant, soon())).rejects.toThrow('broke')
  outage = false
  expect(await store.grants.insert(grant.id, grant, soon())).toBe(false)
  expect(await store.grants.listBySubject('repeated')).toEqual([grant])
})

it('the cleanup of a list neither delays nor fails the insert that started it', async () => {
  const listing = connectionWith({ zScan: () => Promise.reject(new Error('The connection broke')) })
  const store = createRedisStore(listing)
  for (let count = 0; count < 256; count++) {
    const grant = aGrant({ subject: 'often' })
    expect(await store.grants.insert(grant.id, grant, soon())).toBe(true)
  }
})

it('a long list is read in steps, each with a time limit of its own', async () => {
  const [reading, most] = [new Set<string>(), { atOnce: 0 }]
  const counting = connectionWith({
    async get(key) {
      most.atOnce = Math.max(most.atOnce, reading.add(key).size)
      return redis.get(key).finally(() => reading.delete(key))
    },
  })
  const store = createRedisStore(counting)
  const grants = Array.from({ length: 2000 }, () => aGrant({ subject: 'busy' }))
  await Promise.all(grants.map((grant) => store.grants.insert(grant.id, grant, soon())))
  expect(await store.grants.listBySubject('busy')).toHaveLength(2000)
  expect(most.atOnce).toBeLessThan(500)
})
