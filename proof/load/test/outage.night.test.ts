import { type RunningService, runService } from '@grantkit/reference/test/service'
import { signedIn } from '@grantkit/reference/test/tokens'
import { freePort } from '@grantkit/test-servers/free-port'
import { cli } from '@grantkit/test-servers/redis-cli'
import { startRedis } from '@grantkit/test-servers/redis-server'
import { startProxy } from '@grantkit/test-servers/tcp-proxy'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startTestCluster, type TestCluster } from '../cluster.ts'
import { ready } from './under-load.ts'

let cluster: TestCluster
beforeAll(async () => {
  cluster = await startTestCluster(2)
})
afterAll(() => cluster.stop())

it('a rotation whose reply was lost ends no grant that another replica has rotated since', async () => {
  const redis = await startRedis()
  const network = await startProxy(redis.port)
  const port = await freePort()
  const shared = {
    BASE_URL: `http://127.0.0.1:${port}`,
    SECRET: 'the same on every replica, and long enough',
  }
  const near = await runService({ ...shared, PORT: `${port}`, STORE_URL: redis.url })
  const far = await runService({ ...shared, PORT: `${await freePort()}`, STORE_URL: network.url })
  onTestFinished(async () => {
    for (const part of [near, far, network, redis]) await part.close()
  })
  const { client_id, refresh_token } = await signedIn(near.baseUrl, 'courses:read')
  const refresh = async (at: RunningService, token: string) => {
    const body = new URLSearchParams({ grant_type: 'refresh_token', client_id, refresh_token: token })
    const answer = await fetch(`http://127.0.0.1:${at.port}/api/oauth/token`, { method: 'POST', body })
    return { status: answer.status, ...((await answer.json()) as { refresh_token: string }) }
  }
  const redisCli = (...words: string[]) => cli('-p', `${redis.port}`, ...words)
  const key = await redisCli('keys', 'grantkit:grant:*')
  const before = await redisCli('get', key)

  network.latency = () => 250
  const lost = refresh(far, refresh_token)
  await expect.poll(() => redisCli('get', key), { interval: 5 }).not.toBe(before)
  const second = await refresh(near, refresh_token)
  const third = await refresh(near, second.refresh_token)
  network.latency = () => 0
  network.reset()
  expect([200, 503]).toContain((await lost).status)
  expect((await refresh(near, third.refresh_token)).status).toBe(200)
})

describe('an outage', () => {
  const token = (client_id: string, refresh_token: string) =>
    fetch(`${cluster.origins[0]}/api/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({ grant_type: 'refresh_token', client_id, refresh_token }),
    })

  const call = (access_token: string) =>
    fetch(`${cluster.origins[1]}/api/courses`, { headers: { authorization: `Bearer ${access_token}` } })

  it('is a 503 with Retry-After, and consumes nothing', async () => {
    const { client_id, access_token, refresh_token } = await signedIn(cluster.baseUrl, 'courses:read')
    await cluster.redis.stop()
    expect((await call(access_token)).status, 'never a 401').toBe(503)
    const refused = await token(client_id, refresh_token)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1'])
    expect(await refused.json()).toMatchObject({ error: 'temporarily_unavailable' })
    expect((await fetch(`${cluster.origins[0]}/readyz`)).status).toBe(503)
    expect((await fetch(`${cluster.origins[0]}/healthz`)).status).toBe(200)
    await cluster.redis.restart()
    await ready(cluster)
    expect((await token(client_id, refresh_token)).status).toBe(200)
  })

  it('by full memory still allows reading and revoking', async () => {
    const { client_id, access_token, refresh_token } = await signedIn(cluster.baseUrl, 'courses:read')
    const port = `${cluster.redis.port}`
    await cli('-p', port, 'config', 'set', 'maxmemory', '1')
    expect((await token(client_id, refresh_token)).status).toBe(503)
    expect((await call(access_token)).status).toBe(200)
    const body = new URLSearchParams({ client_id, token: refresh_token })
    const revoked = await fetch(`${cluster.origins[0]}/api/oauth/revoke`, { method: 'POST', body })
    expect(revoked.status).toBe(200)
    await cli('-p', port, 'config', 'set', 'maxmemory', '0')
    expect((await call(access_token)).status).toBe(401)
  })

  it('that loses everything makes tokens and clients unknown, and breaks nothing', async () => {
    const { client_id, access_token, refresh_token } = await signedIn(cluster.baseUrl, 'courses:read')
    await cli('-p', `${cluster.redis.port}`, 'flushall')
    expect((await call(access_token)).status).toBe(401)
    const refused = await token(client_id, refresh_token)
    expect([refused.status, await refused.json()]).toMatchObject([401, { error: 'invalid_client' }])
    const page = await fetch(`${cluster.baseUrl}/oauth/authorize?client_id=${client_id}`)
    expect([page.status, page.headers.get('content-type')]).toEqual([400, 'text/html; charset=utf-8'])
    expect(await signedIn(cluster.baseUrl, 'courses:read')).toMatchObject({
      access_token: expect.stringMatching(/^gka_/),
    })
  })
})
