import type { RedisDeployment } from '@grantkit/test-servers/redis-deployment'
import { aGrant, describeStore } from '@grantkit/testkit'
import { expect, it } from 'vitest'
import { connectToRedis, createRedisStore, settingsWarnings } from '../src/index.ts'

const soon = () => Math.floor(Date.now() / 1000) + 600

/** Tests the store on a deployment, also when it loses a primary. */
export function describeDeployment(name: string, start: () => Promise<RedisDeployment>): void {
  describeStore(
    `redis ${name}`,
    async () => {
      const deployment = await start()
      const redis = await connectToRedis(deployment.url)
      const close = async () => {
        redis.destroy()
        await deployment.close()
      }
      return { store: createRedisStore(redis), close }
    },
    { realTime: true, transients: true },
  )

  it('is looked at node by node for settings that lose records', async () => {
    const deployment = await start()
    const redis = await connectToRedis(deployment.url)
    expect(await settingsWarnings(redis)).toEqual([])
    redis.destroy()
    await deployment.close()
  })

  it.each(['killed', 'frozen'] as const)(
    'has the replica take over from a primary that was %s, with all that was waited for',
    async (end) => {
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
}
