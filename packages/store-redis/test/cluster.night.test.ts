import { startRedisCluster } from '@grantkit/test-servers/redis-cluster'
import { NEVER } from '@grantkit/test-servers/redis-deployment'
import { aGrant, describeStore } from '@grantkit/testkit'
import { expect, it } from 'vitest'
import { connectToRedis, createRedisStore, type RedisConnection } from '../src/index.ts'
import { describeDeployment } from './describe-deployment.ts'
import { PATIENT, soon } from './patient.ts'

/** Its keys are on three primaries, so every promise of the store can break here. */
describeStore(
  'redis cluster',
  async () => {
    const cluster = await startRedisCluster(NEVER)
    const redis = await connectToRedis(cluster.url)
    const close = async () => {
      redis.destroy()
      await cluster.close()
    }
    return { store: createRedisStore(redis, PATIENT), close }
  },
  { realTime: true, transients: true, namespaces: true },
)

describeDeployment('a cluster', startRedisCluster)

it('a scan of a cluster misses no record when the reply to a step is lost', async ({ onTestFinished }) => {
  const cluster = await startRedisCluster(NEVER)
  onTestFinished(() => cluster.close())
  const redis = await connectToRedis(cluster.url)
  onTestFinished(() => redis.destroy())
  const ids = Array.from({ length: 900 }, (_, at) => `grant-${at}`)
  const { grants } = createRedisStore(redis, PATIENT)
  await Promise.all(ids.map((id) => grants.insert(id, aGrant({ id, subject: undefined }), soon())))

  const found = new Set<string>()
  for await (const { id } of createRedisStore(losingSteps(redis), PATIENT).grants.scan()) found.add(id)
  expect(ids.filter((id) => !found.has(id))).toEqual([])
})

/** Every second reply to a SCAN arrives, but too late. */
function losingSteps(redis: RedisConnection): RedisConnection {
  let steps = 0
  const losing = (scan: RedisConnection['scan']): RedisConnection['scan'] => {
    return async (cursor, options) => {
      const step = await scan(cursor, options)
      if (++steps % 2 === 0) throw new Error('The reply came too late')
      return step
    }
  }
  const nodeClient: RedisConnection['nodeClient'] = async (master) => {
    const node = await redis.nodeClient?.(master)
    if (node === undefined) throw new Error('Not a cluster')
    return { scan: losing((cursor, options) => node.scan(cursor, options)) }
  }
  const scan = losing((cursor, options) => redis.scan(cursor, options))
  return Object.assign(Object.create(redis) as RedisConnection, { scan, nodeClient })
}
