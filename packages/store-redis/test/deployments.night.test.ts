import { startRedisCluster } from '@grantkit/test-servers/redis-cluster'
import { NEVER } from '@grantkit/test-servers/redis-deployment'
import { startSentinels } from '@grantkit/test-servers/redis-sentinel'
import { aClient, aGrant } from '@grantkit/testkit'
import { expect, it, onTestFinished } from 'vitest'
import { connectToRedis, createRedisStore } from '../src/index.ts'
import { PATIENT, soon } from './patient.ts'

/** Short tests of each deployment. All promises in a cluster, and the loss of a primary: cluster and sentinel.night.test.ts. */

it.each([
  ['a cluster', startRedisCluster],
  ['sentinels', startSentinels],
])('keeps records, of which one of two changes wins, on %s', async (_, start) => {
  const deployment = await start(NEVER)
  onTestFinished(() => deployment.close())
  const redis = await connectToRedis(deployment.url)
  onTestFinished(() => redis.destroy())
  const { clients, grants } = createRedisStore(redis, PATIENT)
  const [client, grant] = [aClient(), aGrant()]
  await clients.insert(client.clientId, client, soon())
  expect(await clients.find(client.clientId)).toMatchObject({ value: client })

  await grants.insert(grant.id, grant, soon())
  const seen = await grants.find(grant.id)
  if (seen === undefined) throw new Error('The grant was not written')
  const changes = [1, 2].map((usedAt) => grants.replace(grant.id, seen, { ...grant, usedAt }, soon()))
  expect((await Promise.all(changes)).sort()).toEqual([false, true])
  expect((await grants.list({ subject: grant.subject ?? '' }, { limit: 200 })).grants).toMatchObject([
    { id: grant.id },
  ])

  const guard = await connectToRedis(deployment.url, { readCache: { maxEntries: 10, ttl: 600_000 } })
  onTestFinished(() => guard.destroy())
  const cached = createRedisStore(guard, PATIENT).grants
  for (let time = 0; time < 2; time++) expect(await cached.find(grant.id)).toBeDefined()
  await grants.remove(grant.id)
  await expect.poll(() => cached.find(grant.id)).toBeUndefined()
})

it('a node of a cluster is refused without +cluster in the URL, which the error names', async () => {
  const deployment = await startRedisCluster(NEVER)
  onTestFinished(() => deployment.close())
  const { url } = await deployment.primaryOf('any')
  await expect(connectToRedis(url)).rejects.toThrow('redis+cluster://')
})
