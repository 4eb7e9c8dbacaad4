import { setTimeout as sleep } from 'node:timers/promises'
import { cli } from '@grantkit/test-servers/redis-cli'
import { startRedisCluster } from '@grantkit/test-servers/redis-cluster'
import { startSentinels } from '@grantkit/test-servers/redis-sentinel'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestCluster, type TestCluster } from '../load/cluster.ts'
import { type Injection, KILLED_REPLICA, ROLLING_RESTART, STORE_INJECTIONS } from '../load/injections.ts'
import { runMix } from '../load/mix.ts'
import { runRaces } from '../load/races.ts'
import { KEYS_WITHOUT_END } from '../load/redis-keys.ts'
import { Tally } from '../load/tally.ts'
import { signedIn } from './tokens.ts'

/** Two replicas behind an HAProxy, many installations at work, and what can go wrong below and beside them. */

let cluster: TestCluster
beforeAll(async () => {
  cluster = await startTestCluster(2)
})
afterAll(() => cluster.stop())

/** Lets installations work before, during and after something, and gives what they noticed. */
async function working(at: TestCluster, during: () => Promise<void>): Promise<Tally> {
  const tally = new Tally()
  let working = true
  const { baseUrl } = at
  const mix = runMix({ baseUrl, origins: [baseUrl], workers: 8, tally, goOn: () => working })
  try {
    await sleep(500)
    await during()
    await ready(at)
    const before = tally.requests
    await expect.poll(() => tally.requests, { timeout: RECOVERY_MS }).toBeGreaterThan(before + 100)
  } finally {
    working = false
    await mix
  }
  return tally
}

/** Generous, for a machine that has other things to do. */
const RECOVERY_MS = 20_000

async function ready({ origins }: TestCluster): Promise<void> {
  for (const origin of origins) {
    const status = async () => (await fetch(`${origin}/readyz`)).status
    await expect.poll(status, { timeout: RECOVERY_MS }).toBe(200)
  }
}

describe('no token is issued twice, comes back or is lost when', () => {
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

  it('each replica is stopped and started again, and then nobody notices', async () => {
    const tally = await working(cluster, () => ROLLING_RESTART.inject(cluster))
    expect(tally.allFaults()).toEqual([])
    expect([tally.setbacksOf('503'), tally.setbacksOf('no answer')]).toEqual([0, 0])
  })

  it('two replicas race for every code and refresh token', async () => {
    const tally = new Tally()
    await runRaces({ baseUrl: cluster.baseUrl, origins: cluster.origins, races: 10_000, workers: 16, tally })
    expect(tally.allFaults()).toEqual([])
  }, 120_000)
})

describe('after all that', () => {
  it('nothing is kept that has no end', async () => {
    const port = `${cluster.redis.port}`
    const keys = (await cli('-p', port, 'keys', '*')).split('\n')
    expect(keys.length).toBeGreaterThan(100)
    expect(await cli('-p', port, 'eval', KEYS_WITHOUT_END, '0')).toBe('0')
  })
})

describe('an outage', () => {
  const token = (client_id: string, refresh_token: string) =>
    fetch(`${cluster.origins[0]}/api/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({ grant_type: 'refresh_token', client_id, refresh_token }),
    })

  it('is a 503 that says when to come back, and consumes nothing', async () => {
    const { client_id, refresh_token } = await signedIn(cluster.baseUrl, 'courses:read')
    await cluster.redis.stop()
    const refused = await token(client_id, refresh_token)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1'])
    expect(await refused.json()).toMatchObject({ error: 'temporarily_unavailable' })
    expect((await fetch(`${cluster.origins[0]}/readyz`)).status).toBe(503)
    expect((await fetch(`${cluster.origins[0]}/healthz`)).status).toBe(200)
    await cluster.redis.restart()
    await ready(cluster)
    expect((await token(client_id, refresh_token)).status).toBe(200)
  })

  it('of memory leaves reading and revoking possible', async () => {
    const { client_id, access_token, refresh_token } = await signedIn(cluster.baseUrl, 'courses:read')
    const port = `${cluster.redis.port}`
    const call = () =>
      fetch(`${cluster.origins[1]}/api/courses`, { headers: { authorization: `Bearer ${access_token}` } })
    await cli('-p', port, 'config', 'set', 'maxmemory', '1')
    expect((await token(client_id, refresh_token)).status).toBe(503)
    expect((await call()).status).toBe(200)
    const body = new URLSearchParams({ client_id, token: refresh_token })
    const revoked = await fetch(`${cluster.origins[0]}/api/oauth/revoke`, { method: 'POST', body })
    expect(revoked.status).toBe(200)
    await cli('-p', port, 'config', 'set', 'maxmemory', '0')
    expect((await call()).status).toBe(401)
  })

  it('of most of a cluster is a 503 too, and over when it is back', async () => {
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
    // Whoever cannot see most of the others stops answering (CLUSTERDOWN), and of these nobody answers at all.
    expect(await call()).toBe(503)
    for (const primary of primaries) primary.thaw()
    await expect.poll(call, { timeout: 20_000 }).toBe(200)
    await failing.stop()
    await redis.close()
  })

  it('that loses everything makes tokens and clients unknown, and breaks nothing', async () => {
    const { client_id, access_token, refresh_token } = await signedIn(cluster.baseUrl, 'courses:read')
    await cli('-p', `${cluster.redis.port}`, 'flushall')
    const headers = { authorization: `Bearer ${access_token}` }
    expect((await fetch(`${cluster.baseUrl}/api/courses`, { headers })).status).toBe(401)
    const refused = await token(client_id, refresh_token)
    expect([refused.status, await refused.json()]).toMatchObject([401, { error: 'invalid_client' }])
    const page = await fetch(`${cluster.baseUrl}/oauth/authorize?client_id=${client_id}`)
    expect([page.status, page.headers.get('content-type')]).toEqual([400, 'text/html; charset=utf-8'])
    expect(await signedIn(cluster.baseUrl, 'courses:read')).toMatchObject({
      access_token: expect.stringMatching(/^gka_/),
    })
  })
})
