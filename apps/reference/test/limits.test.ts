import { once } from 'node:events'
import { connect } from 'node:net'
import { freePort } from '@grantkit/test-servers/free-port'
import { cli } from '@grantkit/test-servers/redis-cli'
import { type RedisServer, startRedis } from '@grantkit/test-servers/redis-server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningService, runService } from './service.ts'
import { signedIn } from './tokens.ts'

/** The limits of the running service, seen from outside. */

const services: RunningService[] = []
const serve = async (environment: Record<string, string>) => {
  const service = await runService(environment)
  services.push(service)
  return service
}
afterAll(async () => {
  for (const service of services) await service.close()
})

const at = ({ port }: RunningService, path: string) => `http://127.0.0.1:${port}${path}`
const register = (service: RunningService, headers: Record<string, string> = {}) =>
  fetch(at(service, '/api/oauth/register'), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: REGISTRATION,
  })
const registerTimes = async (count: number, one: (n: number) => Promise<Response>) => {
  const statuses: number[] = []
  for (let n = 0; n < count; n++) statuses.push((await one(n)).status)
  return statuses
}
const REGISTRATION = JSON.stringify({ redirect_uris: ['http://127.0.0.1:1/cb'] })
/** Registers and resets the connection before the answer: at once, or after an answer that asked nobody's address. */
const registerAndHangUp = async ({ port }: RunningService, accepted: boolean) => {
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  await once(socket, 'connect')
  if (accepted) {
    socket.write('GET /nowhere HTTP/1.1\r\nhost: a\r\n\r\n')
    await once(socket, 'data')
  }
  const head = `content-type: application/json\r\ncontent-length: ${REGISTRATION.length}`
  socket.write(`POST /api/oauth/register HTTP/1.1\r\nhost: a\r\n${head}\r\n\r\n${REGISTRATION}`)
  socket.resetAndDestroy()
}
/** Not every request outlives its connection, so it sends more of them until that many were judged. */
const hangUpUntil = (judged: number, service: RunningService, accepted: boolean) =>
  expect
    .poll(
      async () => {
        await Promise.all(Array.from({ length: 100 }, () => registerAndHangUp(service, accepted)))
        return service.events.length
      },
      { timeout: 30_000 },
    )
    .toBeGreaterThan(judged)
const refresh = (service: RunningService, client_id: string, refresh_token: string) =>
  fetch(at(service, '/api/oauth/token'), {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'refresh_token', client_id, refresh_token }),
  })

describe('the service', () => {
  it('refuses the 101st registration of an address, whatever its headers say, and serves other requests', async () => {
    const service = await serve({})
    const { client_id, refresh_token } = await signedIn(service.baseUrl, 'courses:read')
    const statuses = await registerTimes(100, (n) =>
      register(service, { 'x-forwarded-for': `203.0.113.${n}` }),
    )
    expect(statuses).toEqual([...Array(99).fill(201), 429])
    const refused = await register(service)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await refused.json()).toMatchObject({ error: 'temporarily_unavailable' })
    expect((await refresh(service, client_id, refresh_token)).status).toBe(200)
  })

  it('never refuses a client its valid refresh, however many failed with its id', async () => {
    const service = await serve({})
    const { client_id, refresh_token } = await signedIn(service.baseUrl, 'courses:read')
    const failures = await registerTimes(102, () => refresh(service, client_id, 'wrong'))
    expect(failures).toEqual([...Array(100).fill(400), 429, 429])
    expect((await refresh(service, client_id, refresh_token)).status).toBe(200)
  })

  it('counts the caller that a trusted proxy names', async () => {
    const service = await serve({ TRUST_PROXY: 'loopback' })
    const from = (address: string) => register(service, { 'x-forwarded-for': `192.0.2.1, ${address}` })
    expect(await registerTimes(101, () => from('203.0.113.7'))).toEqual([...Array(100).fill(201), 429])
    expect((await from('203.0.113.8')).status).toBe(201)
    expect((await from('2001:db8::1')).status).toBe(201)
  })

  it('counts a caller that hangs up before the answer', async () => {
    const service = await serve({})
    await hangUpUntil(250, service, true)
    expect((await register(service)).status).toBe(429)
  })

  it('counts all callers together whose address nobody knows any more', async () => {
    const service = await serve({})
    await hangUpUntil(350, service, false)
    const registered = service.events.filter(({ type }) => type === 'client_registered')
    expect(registered.length).toBeLessThanOrEqual(200)
  })

  it('limits nothing when it is told so', async () => {
    const service = await serve({ RATE_LIMITS: 'off' })
    expect(new Set(await registerTimes(150, () => register(service)))).toEqual(new Set([201]))
  })
})

describe('two replicas on Redis', () => {
  let redis: RedisServer
  let replicas: readonly [RunningService, RunningService]
  beforeAll(async () => {
    redis = await startRedis()
    const first = await freePort()
    const shared = {
      BASE_URL: `http://127.0.0.1:${first}`,
      SECRET: 'the same on every replica, and long enough',
      STORE_URL: redis.url,
    }
    replicas = [
      await serve({ ...shared, PORT: String(first) }),
      await serve({ ...shared, PORT: String(await freePort()) }),
    ]
  })
  afterAll(() => redis.close())

  it('count together, under keys that reveal no caller', async () => {
    const [one, other] = replicas
    expect(await registerTimes(101, (n) => register(n % 2 === 0 ? one : other))).toEqual([
      ...Array(100).fill(201),
      429,
    ])
    const keys = (await cli('-p', `${redis.port}`, 'keys', 'grantkit:limit:*')).split('\n')
    const ends = await Promise.all(
      keys.map(async (key) => Number(await cli('-p', `${redis.port}`, 'ttl', key))),
    )
    expect(keys).toEqual([expect.stringMatching(/^grantkit:limit:registration:[\w-]{43}$/)])
    expect(ends.every((seconds) => seconds > 0 && seconds <= 600)).toBe(true)
  })

  it('count separately while Redis is down, without delay', async () => {
    await redis.stop()
    const [one] = replicas
    // Without the store a registration fails: a 503 shows that the limit let it pass.
    expect((await register(one)).status).toBe(503)
    expect(one.events.map(({ type }) => type)).not.toContain('limiter_failed')
    await redis.restart()
    await expect.poll(async () => (await fetch(at(one, '/readyz'))).status, { timeout: 5000 }).toBe(200)
    // A replica that counted alone asks Redis again after a second, and what was counted before is counted still.
    await expect.poll(async () => (await register(one)).status, { timeout: 5000 }).toBe(429)
  })

  it('answer within a second when Redis is silent, whatever they are asked', async () => {
    await cli('-p', `${redis.port}`, 'flushall')
    const [one] = replicas
    const { client_id, refresh_token } = await signedIn(one.baseUrl, 'courses:read')
    const requests = {
      registration: () => register(one),
      'a refresh': () => refresh(one, client_id, refresh_token),
      'an authorization': () => fetch(at(one, `/oauth/authorize?client_id=${client_id}`)),
      readiness: () => fetch(at(one, '/readyz')),
    }
    redis.freeze()
    for (const [name, send] of Object.entries(requests)) {
      const start = performance.now()
      expect((await send()).status, name).toBe(503)
      expect(performance.now() - start, name).toBeLessThan(1000)
    }
    redis.thaw()
  })
})
