import { cli } from '@grantkit/test-servers/redis-cli'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestCluster, type TestCluster } from '../load/cluster.ts'
import { FORGOTTEN_SCRIPTS, RESET_CONNECTIONS } from '../load/injections.ts'
import { runRaces } from '../load/races.ts'
import { Tally } from '../load/tally.ts'
import { signedIn } from './tokens.ts'
import { expectNothingEndless, ready, working } from './under-load.ts'

/** A short version of faults.long.test.ts, and the answers during an outage. */

let cluster: TestCluster
beforeAll(async () => {
  cluster = await startTestCluster(2)
})
afterAll(() => cluster.stop())

describe('no token is issued twice, comes back or is lost when', () => {
  it.each([RESET_CONNECTIONS, FORGOTTEN_SCRIPTS])('$name', async ({ inject }) => {
    const tally = await working(cluster, () => inject(cluster))
    expect(tally.allFaults()).toEqual([])
  })

  it('two replicas race for every code and refresh token', async () => {
    const tally = new Tally()
    await runRaces({ baseUrl: cluster.baseUrl, origins: cluster.origins, races: 640, workers: 16, tally })
    expect(tally.allFaults()).toEqual([])
    await expectNothingEndless(cluster)
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
