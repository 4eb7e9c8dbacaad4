import type { RedisDeployment } from '@grantkit/test-servers/redis-deployment'
import { aGrant } from '@grantkit/testkit'
import { describe, it } from 'vitest'
import { connectToRedis, createRedisStore, settingsWarnings } from '../src/index.ts'

const soon = () => Math.floor(Date.now() / 1000) + 600

/** What a deployment of several servers does of its own, also when it loses a primary. */
export function describeDeployment(name: string, start: () => Promise<RedisDeployment>): void {
  // They wait for the deployment to notice the loss.
  describe.concurrent(name, () => {
    it('is looked at node by node for settings that lose records', async ({ expect }) => {
      const deployment = await start()
      const redis = await connectToRedis(deployment.url)
      expect(await settingsWarnings(redis)).toEqual([])
      redis.destroy()
      await deployment.close()
    })

    it.for(['killed', 'frozen'] as const)(
      'has the replica take over from a primary that was %s, with all that was waited for',
      async (end, { expect }) => {
        const deployment = await start()
        const redis = await connectToRedis(deployment.url)
        const shortfalls: number[] = []
        const waitReplicas = {
          replicas: 1,
          timeout: 1000,
          onShortfall: (acknowledged: number) => shortfalls.push(acknowledged),
        }
        const store = createRedisStore(redis, { waitReplicas })
        const grant = aGrant({ id: 'survivor' })
        await store.grants.insert(grant.id, grant, soon())
        const seen = await store.grants.find(grant.id)
        if (seen === undefined) throw new Error('The grant was not written')
        await store.grants.replace(grant.id, seen, { ...grant, usedAt: 7 }, soon())
        expect(shortfalls).toEqual([])

        const primary = await deployment.primaryOf('grantkit:grant:survivor')
        if (end === 'killed') await primary.stop()
        else primary.freeze()
        await expect(store.grants.find(grant.id)).rejects.toThrow()
        const found = () => store.grants.find(grant.id).catch(() => undefined)
        await expect.poll(found, { timeout: 25_000 }).toMatchObject({ value: { usedAt: 7 } })
        const again = await found()
        if (again === undefined) throw new Error('The grant is gone')
        expect(await store.grants.replace(grant.id, again, { ...grant, usedAt: 8 }, soon())).toBe(true)
        expect(shortfalls, 'there is no replica left').toEqual([0])
        if (end === 'frozen') primary.thaw()
        redis.destroy()
        await deployment.close()
      },
    )
  })
}
