import type { RateLimiter } from '@grantkit/core'
import { describe, expect, it } from 'vitest'
import { bodyOf, codeFor, credentials, redeem, refresh, register, requestToken, tokensFor } from './client.ts'
import { openService, REDIRECT_URI, type Service } from './service.ts'

/** Allows `points` events per key, then returns 30 seconds. */
function limitOf(points: number) {
  const counted = new Map<string, number>()
  const windows = new Map<string, object>()
  const take: RateLimiter['take'] = async (limit, key, window) => {
    const name = `${limit} ${key}`
    windows.set(limit, window)
    counted.set(name, (counted.get(name) ?? 0) + 1)
    return (counted.get(name) ?? 0) > points ? 30 : 0
  }
  return { counted, windows, take }
}

/** The service, called from an address. */
function from(service: Service, remoteAddress: string | undefined): Service {
  return {
    ...service,
    send: (method, path, message) => service.send(method, path, { ...message, remoteAddress }),
  }
}

const HOME = '203.0.113.7'
const ELSEWHERE = '198.51.100.9'
const REGISTRATION = { redirect_uris: [REDIRECT_URI] }
const registerAt = (service: Service, json: object = REGISTRATION) =>
  service.send('POST', '/api/oauth/register', { json })
const statuses = async (answers: readonly Promise<{ status: number }>[]) =>
  (await Promise.all(answers)).map(({ status }) => status)

describe('registrations', () => {
  it('beyond the limit of an address are a 429 with Retry-After', async () => {
    const service = openService({ rateLimiter: limitOf(2) })
    const home = from(service, HOME)
    expect(await statuses([registerAt(home), registerAt(home)])).toEqual([201, 201])
    const refused = await registerAt(home)
    expect(refused).toMatchObject({
      status: 429,
      headers: { 'content-type': 'application/json', 'cache-control': 'no-store', 'retry-after': '30' },
    })
    expect(bodyOf(refused)).toEqual({
      error: 'temporarily_unavailable',
      error_description: 'Too many clients were registered from this address. Try again later',
    })
    expect(service.events.at(-1)).toMatchObject({ type: 'refused', reason: 'too_many_registrations' })
    expect((await registerAt(from(service, ELSEWHERE))).status, 'another address').toBe(201)
  })

  it('DR-10, REQ-64: registrations are a hundred per address in ten minutes, even without a limiter', async () => {
    const service = openService()
    const home = from(service, HOME)
    for (let n = 0; n < 100; n++) expect((await registerAt(home)).status).toBe(201)
    expect(await registerAt(home)).toMatchObject({ status: 429, headers: { 'retry-after': '600' } })
    expect((await registerAt(from(service, ELSEWHERE))).status, 'another address').toBe(201)
    service.clock.now += 600
    expect((await registerAt(home)).status).toBe(201)
  })

  it('are counted per subscriber: an IPv4 address, an IPv6 /64, its /56 and its /48', async () => {
    const limiter = limitOf(9)
    const service = openService({ rateLimiter: limiter })
    for (const address of [HOME, `::ffff:${HOME}`, '2001:db8::1', '2001:db8::2:1', '2001:db8:0:1::1'])
      await registerAt(from(service, address))
    expect([...limiter.counted]).toEqual([
      [`registration ${HOME}`, 2],
      ['registration 2001:db8:0:0::/64', 2],
      ['registration_56 2001:db8:0:0::/56', 3],
      ['registration_48 2001:db8:0::/48', 3],
      ['registration 2001:db8:0:1::/64', 1],
    ])
  })

  it('with invalid metadata are not counted', async () => {
    const limiter = limitOf(0)
    const service = from(openService({ rateLimiter: limiter }), HOME)
    const answer = await registerAt(service, { redirect_uris: ['https://app.example/cb'] })
    expect([answer.status, limiter.counted.size]).toEqual([400, 0])
  })

  it('of callers without an address share one counter', async () => {
    const limiter = limitOf(1)
    const service = from(openService({ rateLimiter: limiter }), undefined)
    expect(await statuses([registerAt(service), registerAt(service)])).toEqual([201, 429])
    expect([...limiter.counted]).toEqual([['registration unknown', 2]])
  })

  it('DR-10: registrations are not counted by a header that any caller can set', async () => {
    const limiter = limitOf(9)
    const service = from(openService({ rateLimiter: limiter }), HOME)
    for (const forwarded of ['1.1.1.1', '2.2.2.2'])
      await service.send('POST', '/api/oauth/register', {
        json: REGISTRATION,
        headers: { 'x-forwarded-for': forwarded, forwarded: `for=${forwarded}` },
      })
    expect([...limiter.counted]).toEqual([[`registration ${HOME}`, 2]])
  })

  it('pass when the limiter is broken, and an event has the cause', async () => {
    const cause = new Error('no memory left')
    const service = openService({ rateLimiter: { take: () => Promise.reject(cause) } })
    expect((await registerAt(from(service, HOME))).status).toBe(201)
    expect(service.events[0]).toEqual({ type: 'limiter_failed', limit: 'registration', cause })
  })
})

const INTROSPECT = '/api/oauth/introspect'
const confidential = (service: Service) =>
  register(service, { token_endpoint_auth_method: 'client_secret_post' })

describe('failed requests of a client', () => {
  it('with a body that is too large are not counted, because the client is unknown', async () => {
    const limiter = limitOf(0)
    const home = from(openService({ rateLimiter: limiter }), HOME)
    const refused = await home.send('POST', '/api/oauth/token', { form: { client_id: 'x'.repeat(70_000) } })
    expect([refused.status, limiter.counted.size]).toEqual([413, 0])
  })

  it('CA-08: failed requests beyond the limit are a 429 with Retry-After', async () => {
    const limiter = limitOf(2)
    const service = from(openService({ rateLimiter: limiter }), HOME)
    const client = await register(service)
    const fail = () => refresh(service, client, 'bad')
    expect(await statuses([fail(), fail()])).toEqual([400, 400])
    expect(limiter.windows.get('client_failure'), 'by default').toEqual({ points: 100, seconds: 600 })
    const refused = await fail()
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '30'])
    expect(bodyOf(refused)).toEqual({
      error: 'temporarily_unavailable',
      error_description: 'Too many requests of this client failed. Try again later',
    })
    expect(service.events.at(-1)).toMatchObject({ type: 'refused', reason: 'too_many_failures' })
  })

  it.each(['/api/oauth/token', '/api/oauth/revoke', INTROSPECT])('are counted at %s', async (path) => {
    const limiter = limitOf(0)
    const service = from(openService(), HOME)
    const limited = from(openService({ store: service.store, rateLimiter: limiter }), HOME)
    const client = await confidential(service)
    const form = { ...credentials(client), client_secret: 'wrong', token: 'x', grant_type: 'refresh_token' }
    expect((await limited.send('POST', path, { form })).status).toBe(429)
    expect([...limiter.counted.keys()]).toEqual([`client_failure ${client.clientId} ${HOME}`])
  })

  it('CA-08: failed requests never block a valid one: after a thousand failures the client itself is served', async () => {
    const service = from(openService({ rateLimiter: limitOf(2) }), HOME)
    const client = await confidential(service)
    const { refresh_token } = await tokensFor(service, client)
    const code = await codeFor(service, client.clientId)
    for (let n = 0; n < 1000; n++) await refresh(service, { ...client, clientSecret: 'wrong' }, refresh_token)
    expect((await refresh(service, client, 'bad')).status).toBe(429)
    expect((await refresh(service, client, refresh_token)).status).toBe(200)
    expect((await redeem(service, client, code)).status).toBe(200)
    const form = { ...credentials(client), token: 'x' }
    expect((await service.send('POST', INTROSPECT, { form })).status).toBe(200)
  })

  it('of another caller with a public client id do not affect its owner', async () => {
    const service = openService({ rateLimiter: limitOf(2) })
    const client = await register(from(service, HOME))
    const failAt = (address: string) => refresh(from(service, address), client, 'bad')
    expect(await statuses([1, 2, 3].map(() => failAt(ELSEWHERE)))).toEqual([400, 400, 429])
    expect((await failAt(HOME)).status).toBe(400)
  })

  it('do not hide a theft: a reused token revokes its grant although the response is a 429', async () => {
    const service = from(openService({ rateLimiter: limitOf(0) }), HOME)
    const client = await register(from(openService({ store: service.store }), HOME))
    const { refresh_token } = await tokensFor(service, client)
    await refresh(service, client, refresh_token)
    service.clock.now += 900
    expect((await refresh(service, client, refresh_token)).status).toBe(429)
    expect(service.events).toContainEqual(
      expect.objectContaining({ type: 'grant_ended', reason: 'refresh_token_reused' }),
    )
  })

  it('of clients that do not exist share one counter, so that ids cannot fill the limiter', async () => {
    const limiter = limitOf(99)
    const service = from(openService({ rateLimiter: limiter }), HOME)
    for (const client_id of ['a', 'b', 'x'.repeat(300), ''])
      await requestToken(service, { client_id, grant_type: 'refresh_token', refresh_token: 'x' })
    await requestToken(service, [
      ['client_id', 'a'],
      ['client_id', 'b'],
    ])
    expect([...limiter.counted]).toEqual([[`client_failure unknown ${HOME}`, 5]])
  })

  it('do not include failures of the server: an outage is a 503, and is not counted', async () => {
    const limiter = limitOf(0)
    const { store } = openService()
    const client = await register(openService({ store }))
    const broken = { ...store, grants: { ...store.grants, find: () => Promise.reject(new Error('down')) } }
    const service = from(openService({ store: broken, rateLimiter: limiter }), HOME)
    expect((await redeem(service, client, `gkc_${'x'.repeat(22)}.${'y'.repeat(43)}`)).status).toBe(503)
    expect(limiter.counted.size).toBe(0)
  })
})
