import { signedIn } from '@grantkit/reference/test/tokens'
import { startRedisCluster } from '@grantkit/test-servers/redis-cluster'
import { startSentinels } from '@grantkit/test-servers/redis-sentinel'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestCluster, type TestCluster } from '../cluster.ts'
import { type Injection, KILLED_REPLICA, ROLLING_RESTART, STORE_INJECTIONS } from '../injections.ts'
import { runRaces } from '../races.ts'
import { Tally } from '../tally.ts'
import { expectNothingEndless, working } from './under-load.ts'

/**
 * Two replicas behind an HAProxy with many installations, and all faults of the store, the network and the replicas.
 */

let cluster: TestCluster
beforeAll(async () => {
  cluster = await startTestCluster(2)
})
afterAll(() => cluster.stop())

describe('no token is issued twice, restored or lost when', () => {
  it.each([...STORE_INJECTIONS, KILLED_REPLICA])('$name', async ({ inject }: Injection) => {
    const tally = await working(cluster, () => inject(cluster))
    expect(tally.allFaults()).toEqual([])
  })

  it.each([
    ['sentinels', startSentinels],
    ['a cluster', startRedisCluster],
  ])('a primary of %s dies and its replica takes over', async (_, start) => {
    const redis = await start()
    const failing = await startTestCluster(2, { STORE_URL: redis.url, WAIT_REPLICAS: '1' })
    const primary = await redis.primaryOf('grantkit:grant:any')
    const tally = await working(failing, () => primary.stop())
    expect(tally.allFaults()).toEqual([])
    await failing.stop()
    await redis.close()
  })

  it('each replica is stopped and started again, and no client notices', async () => {
    const rolling = await startTestCluster(2)
    const tally = await working(rolling, () => ROLLING_RESTART.inject(rolling))
    expect(tally.allFaults()).toEqual([])
    expect([tally.setbacksOf('503'), tally.setbacksOf('no answer')]).toEqual([0, 0])
    await rolling.stop()
  })

  it('two replicas race for every code and refresh token', async () => {
    const tally = new Tally()
    await runRaces({ baseUrl: cluster.baseUrl, origins: cluster.origins, races: 10_000, workers: 16, tally })
    expect(tally.allFaults()).toEqual([])
  }, 120_000)
})

describe('after all that', () => {
  it('every key in Redis has an expiry', () => expectNothingEndless(cluster))
})

describe('an outage', () => {
  it('of most of a cluster is a 503 too, and ends when it recovers', async () => {
    const redis = await startRedisCluster()
    const failing = await startTestCluster(1, { STORE_URL: redis.url })
    const { access_token } = await signedIn(failing.baseUrl, 'courses:read')
    const call = async () =>
      (
        await fetch(`${failing.origins[0]}/api/courses`, {
          headers: { authorization: `Bearer ${access_token}` },
        })
      ).status
    const nodes = await Promise.all(['{a}', '{b}', '{c}', '{d}', '{e}'].map((key) => redis.primaryOf(key)))
    const primaries = [...new Set(nodes)]
    for (const primary of primaries) primary.freeze()
    // A node that cannot see the majority refuses commands (CLUSTERDOWN), and here no node answers.
    expect(await call()).toBe(503)
    for (const primary of primaries) primary.thaw()
    await expect.poll(call).toBe(200)
    await failing.stop()
    await redis.close()
  })
})
