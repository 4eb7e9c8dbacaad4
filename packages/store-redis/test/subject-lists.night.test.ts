import { type RedisServer, startRedis } from '@grantkit/test-servers/redis-server'
import { aGrant } from '@grantkit/testkit'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { connectToRedis, createRedisStore, type RedisCommands, type RedisConnection } from '../src/index.ts'
import { PATIENT, soon } from './patient.ts'

/** The lists of grants, while Redis is slow or fails. */

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
  const other = createRedisStore(redis, PATIENT)
  const slow = connectionWith({
    async evalSha(sha1, input) {
      if (input.keys[0]?.includes(':grant:'))
        for (let time = 0; time < 20; time++)
          (await other.grants.list({ subject: 'slow' }, { limit: 200 })).grants
      return redis.evalSha(sha1, input)
    },
  })
  const grant = aGrant({ subject: 'slow' })
  await createRedisStore(slow, PATIENT).grants.insert(grant.id, grant, soon())
  expect((await other.grants.list({ subject: 'slow' }, { limit: 200 })).grants).toEqual([grant])
})

it('a grant whose entry failed gets one when its insert is repeated', async () => {
  let outage = true
  const failing = connectionWith({
    async evalSha(sha1, input) {
      if (outage && input.keys[0]?.includes(':subject:')) throw new Error('The connection broke')
      return redis.evalSha(sha1, input)
    },
  })
  const store = createRedisStore(failing, PATIENT)
  const grant = aGrant({ subject: 'repeated' })
  await expect(store.grants.insert(grant.id, grant, soon())).rejects.toThrow('broke')
  outage = false
  expect(await store.grants.insert(grant.id, grant, soon())).toBe(false)
  expect((await store.grants.list({ subject: 'repeated' }, { limit: 200 })).grants).toEqual([grant])
})

it('a list lives as long as its last grant', async () => {
  const { grants } = createRedisStore(redis, { ...PATIENT, keyPrefix: 'lives:' })
  const end = soon()
  for (const expiresAt of [end, end - 300]) {
    const grant = aGrant({ subject: 'several', expiresAt })
    await grants.insert(grant.id, grant, expiresAt)
  }
  // Beyond what the store needs of a connection.
  const { keys, expireTime } = redis as unknown as Record<string, (text: string) => Promise<unknown>>
  const lists = (await keys?.call(redis, 'lives:subject:*')) as string[]
  const ends = await Promise.all(lists.map((list) => expireTime?.call(redis, list)))
  expect(ends).toEqual([end, end])
})

it('the cleanup of a list neither delays nor fails the insert that started it', async () => {
  const failing = connectionWith({
    get: () => Promise.reject(new Error('The connection broke')),
  })
  const store = createRedisStore(failing, PATIENT)
  for (let count = 0; count < 256; count++) {
    const grant = aGrant({ subject: 'often' })
    expect(await store.grants.insert(grant.id, grant, soon())).toBe(true)
  }
})

it('a page reads no more grants than it has, and drops the entries of those that ended', async () => {
  let read = 0
  const counting = connectionWith({
    get(key) {
      read++
      return redis.get(key)
    },
  })
  const { grants } = createRedisStore(counting, PATIENT)
  const ids = await Promise.all(
    Array.from({ length: 500 }, async () => {
      const grant = aGrant({ subject: 'busy' })
      await grants.insert(grant.id, grant, soon())
      return grant.id
    }),
  )
  for (const id of ids.slice(0, 400)) await grants.remove(id)
  const count = async () => {
    let [listed, after]: [number, string | undefined] = [0, undefined]
    read = 0
    do {
      const before = read
      const page = await grants.list({ subject: 'busy' }, { limit: 50, after })
      expect(read - before).toBeLessThanOrEqual(50)
      listed += page.grants.length
      after = page.next
    } while (after !== undefined)
    return [listed, read]
  }
  expect((await count())[0]).toBe(100)
  expect(await count()).toEqual([100, 100])
})
