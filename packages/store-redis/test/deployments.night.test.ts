import { startRedisCluster } from '@grantkit/test-servers/redis-cluster'
import { startSentinels } from '@grantkit/test-servers/redis-sentinel'
import { aClient, aGrant } from '@grantkit/testkit'
import { expect, it } from 'vitest'
import { connectToRedis, createRedisStore } from '../src/index.ts'

/** Short tests of each deployment. All promises in a cluster, and the loss of a primary: cluster and sentinel.night.test.ts. */

it.each([
  ['a cluster', startRedisCluster],
  ['sentinels', startSentinels],
])('keeps records, of which one of two changes wins, on %s', async (_, start) => {
  const deployment = await start()
  const redis = await connectToRedis(deployment.url)
  const { clients, grants } = createRedisStore(redis)
  const soon = Math.floor(Date.now() / 1000) + 60
  const [client, grant] = [aClient(), aGrant()]
  await clients.insert(client.clientId, client, soon)
  expect(await clients.find(client.clientId)).toMatchObject({ value: client })

  await grants.insert(grant.id, grant, soon)
  const seen = await grants.find(grant.id)
  if (seen === undefined) throw new Error('The grant was not written')
  const changes = [1, 2].map((usedAt) => grants.replace(grant.id, seen, { ...grant, usedAt }, soon))
  expect((await Promise.all(changes)).sort()).toEqual([false, true])
  expect((await grants.list({ subject: grant.subject ?? '' }, { limit: 200 })).grants).toMatchObject([
    { id: grant.id },
  ])

  const guard = await connectToRedis(deployment.url, { readCache: { maxEntries: 10, ttl: 60_000 } })
  const cached = createRedisStore(guard).grants
  for (let time = 0; time < 2; time++) expect(await cached.find(grant.id)).toBeDefined()
  await grants.remove(grant.id)
  await expect.poll(() => cached.find(grant.id), { timeout: 5000 }).toBeUndefined()
  guard.destroy()
  redis.destroy()
  await deployment.close()
})
