import { NEVER, type RedisDeployment } from '@grantkit/test-servers/redis-deployment'
import { aGrant } from '@grantkit/testkit'
import { describe, it } from 'vitest'
import { connectToRedis, createRedisStore, settingsWarnings } from '../src/index.ts'
import { PATIENT, soon } from './patient.ts'

/** What a deployment of several servers does of its own, also when it loses a primary. */
export function describeDeployment(name: string, start: (silence: number) => Promise<RedisDeployment>): void {
  // They wait for servers.
  describe.concurrent(name, () => {
    it('is looked at node by node for settings that lose records', async ({ expect, onTestFinished }) => {
      const deployment = await start(NEVER)
      onTestFinished(() => deployment.close())
      const redis = await connectToRedis(deployment.url)
      onTestFinished(() => redis.destroy())
      expect(await settingsWarnings(redis)).toEqual([])
    })

    it.for(['killed', 'frozen'] as const)(
      'has the replica take over from a primary that was %s, with all that was waited for',
      async (end, { expect, onTestFinished }) => {
        const deployment = await start(NEVER)
        onTestFinished(() => deployment.close())
        const redis = await connectToRedis(deployment.url)
        onTestFinished(() => redis.destroy())
        const shortfalls: number[] = []
        const grantsWaiting = (timeout: number) => {
          const onShortfall = (acknowledged: number) => void shortfalls.push(acknowledged)
          const waitReplicas = { replicas: 1, timeout, onShortfall }
          return createRedisStore(redis, { ...PATIENT, waitReplicas }).grants
        }
        const before = grantsWaiting(20_000)
        const grant = aGrant({ id: 'survivor' })
        await before.insert(grant.id, grant, soon())
        const seen = await before.find(grant.id)
        if (seen === undefined) throw new Error('The grant was not written')
        await before.replace(grant.id, seen, { ...grant, usedAt: 7 }, soon())
        expect(shortfalls).toEqual([])

        const primary = await deployment.primaryOf('grantkit:grant:survivor')
        if (end === 'killed') await primary.stop()
        else await primary.freeze()
        // It asks again and again, as services do.
        const { grants } = createRedisStore(redis)
        await expect(grants.find(grant.id)).rejects.toThrow()
        await deployment.failOver('grantkit:grant:survivor')
        const found = () => grants.find(grant.id).catch(() => undefined)
        await expect.poll(found, { timeout: 50_000 }).toMatchObject({ value: { usedAt: 7 } })
        const after = grantsWaiting(100)
        const again = await after.find(grant.id)
        if (again === undefined) throw new Error('The grant is gone')
        expect(await after.replace(grant.id, again, { ...grant, usedAt: 8 }, soon())).toBe(true)
        expect(shortfalls, 'there is no replica left').toEqual([0])
      },
    )
  })
}
