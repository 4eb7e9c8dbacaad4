import type { Store } from '@grantkit/core'
import { forwardAuth } from '@grantkit/core/forward-auth'
import { createMemoryStore } from '@grantkit/store-memory'
import { describe, expect, it } from 'vitest'
import { bodyOf, credentials } from './client.ts'
import { DAY, NETWORK, openPersonal, typesOf, written } from './personal-tokens-service.ts'

const HOUR = 60 * 60

/** Counts writes of grants, and fails or delays them. */
function watchedStore(replace: (write: () => Promise<boolean>) => Promise<boolean> = (write) => write()) {
  const time = { now: 1_800_000_000 }
  const real = createMemoryStore({ now: () => time.now })
  const writes = { count: 0 }
  const grants: Store['grants'] = {
    ...{ find: (id) => real.grants.find(id), remove: (id) => real.grants.remove(id) },
    ...{ scan: () => real.grants.scan(), list: (owner, page) => real.grants.list(owner, page) },
    insert: (...input) => real.grants.insert(...input),
    replace(...input) {
      writes.count += 1
      return replace(() => real.grants.replace(...input))
    },
  }
  return { store: { ...real, grants }, writes, time }
}

describe('the last use of a personal access token', () => {
  it('is absent until the first use, and then has the time and the network of the caller', async () => {
    const { create, tokens, call, service } = openPersonal()
    const { text, token } = await create()
    expect(await tokens.list('alice')).toEqual([token])
    service.clock.now += 7
    await call(text, { from: '203.0.113.77' })
    await written()
    expect(await tokens.list('alice')).toEqual([
      { ...token, lastUsedAt: service.clock.now, lastNetwork: NETWORK },
    ])
  })

  it('is known after a use in the second of its creation', async () => {
    const { create, tokens, call } = openPersonal()
    await call((await create()).text)
    await written()
    expect(await tokens.list('alice')).toMatchObject([{ lastUsedAt: expect.any(Number) }])
  })

  it('is known at the introspection by an API, without a network, and not by a dead token', async () => {
    const { create, tokens, service } = openPersonal()
    const { text, token } = await create()
    const api = await service.server.clients.add({
      clientName: 'API',
      redirectUris: [],
      resourceServer: true,
    })
    const introspect = (shown: string) =>
      service.send('POST', '/api/oauth/introspect', { form: { token: shown, ...credentials(api) } })
    await introspect(`${text.slice(0, -1)}${text.endsWith('A') ? 'B' : 'A'}`)
    await written()
    expect(await tokens.list('alice')).toEqual([token])
    service.clock.now += 7
    expect(bodyOf(await introspect(text))).toMatchObject({ active: true })
    await written()
    expect(await tokens.list('alice')).toEqual([{ ...token, lastUsedAt: service.clock.now }])
  })

  it.each([
    ['without the network of a gateway that names no caller', '10.0.0.2', undefined, undefined],
    ['without the network of a gateway whose caller is not trusted', '10.0.0.2', '203.0.113.77', undefined],
    ['with the network of the caller that a trusted gateway names', '203.0.113.77', '203.0.113.77', NETWORK],
    [
      'with one network behind several gateways',
      '203.0.113.77',
      '1.1.1.1, [::ffff:203.0.113.77]:80',
      NETWORK,
    ],
  ])('is known by forward auth, %s', async (_, remoteAddress, forwardedFor, lastNetwork) => {
    const { create, tokens, service } = openPersonal({
      server: { features: [forwardAuth({ personalTokens: true })] },
    })
    const { text, token } = await create()
    const headers = {
      authorization: `Bearer ${text}`,
      ...(forwardedFor && { 'x-forwarded-for': forwardedFor }),
    }
    service.clock.now += 7
    const answer = await service.send('GET', '/api/oauth/verify', { headers, remoteAddress })
    expect(answer.status).toBe(200)
    await written()
    expect(await tokens.list('alice')).toEqual([
      { ...token, lastUsedAt: service.clock.now, ...(lastNetwork && { lastNetwork }) },
    ])
  })

  it('is written at most once an hour', async () => {
    const { store, writes } = watchedStore()
    const { create, tokens, call, service } = openPersonal({ server: { store } })
    const { text } = await create()
    const useAfter = async (seconds: number) => {
      service.clock.now += seconds
      await Promise.all([call(text), call(text)])
      await written()
      return writes.count
    }
    expect([await useAfter(60), await useAfter(HOUR - 1), await useAfter(1)]).toEqual([1, 1, 2])
    expect(await tokens.list('alice')).toMatchObject([{ lastUsedAt: service.clock.now }])
  })

  it('is also written for a call that its route refuses: the user sees the use of a stolen token', async () => {
    const { create, tokens, callUserRoute, service } = openPersonal()
    const { text } = await create()
    service.clock.now += 5
    await callUserRoute(text)
    await written()
    expect(await tokens.list('alice')).toMatchObject([{ lastUsedAt: service.clock.now }])
  })

  it('refuses nothing when the write fails, and the next use repeats it', async () => {
    let fails = true
    const { store } = watchedStore((write) => (fails ? Promise.reject(new Error('read-only')) : write()))
    const { create, tokens, call } = openPersonal({ server: { store } })
    const { text } = await create()
    expect(await call(text)).toMatchObject({ kind: 'authorized' })
    await written()
    fails = false
    expect(await call(text)).toMatchObject({ kind: 'authorized' })
    await written()
    expect(await tokens.list('alice')).toMatchObject([{ lastUsedAt: expect.any(Number) }])
  })

  it('keeps no request waiting for a store that does not answer, and begins no second write', async () => {
    const { store, writes } = watchedStore(() => new Promise(() => {}))
    const { create, call } = openPersonal({ server: { store } })
    const { text } = await create()
    for (let use = 0; use < 3; use++) expect(await call(text)).toMatchObject({ kind: 'authorized' })
    expect(writes.count).toBe(1)
  })

  it('PT-15: the write of the last use brings no personal access token back that ends at the same time', async () => {
    const { create, tokens, call } = openPersonal()
    const { text, token } = await create()
    await Promise.all([call(text), tokens.end('alice', token.id)])
    await written()
    expect(await call(text)).toMatchObject({ response: { status: 401 } })
  })

  it('is not written for other access tokens', async () => {
    const { store, writes } = watchedStore()
    const { callUserRoute } = openPersonal({ server: { store } })
    await callUserRoute(`gka_${'g'.repeat(22)}.${'s'.repeat(43)}`)
    expect(writes.count).toBe(0)
  })
})

describe('the event personal_token_expiring', () => {
  const EXPIRING = 'personal_token_expiring'

  it('comes once, at the first use within 7 days of the end', async () => {
    const { create, call, service } = openPersonal()
    const { text, token } = await create()
    const useAfter = async (seconds: number) => {
      service.clock.now += seconds
      await call(text)
      await written()
      return typesOf(service).filter((type) => type === EXPIRING).length
    }
    expect([await useAfter(DAY), await useAfter(21 * DAY), await useAfter(2 * DAY)]).toEqual([0, 0, 1])
    expect([await useAfter(HOUR), await useAfter(DAY)]).toEqual([1, 1])
    const { id: grantId, expiresAt } = token
    expect(service.events).toContainEqual({
      ...{ type: EXPIRING, subject: 'alice', grantId, label: 'CI', expiresAt },
    })
  })

  it('never comes for a token that was made for 7 days', async () => {
    const { create, call, service } = openPersonal()
    const { text } = await create({ lifetime: 7 * DAY })
    for (let day = 0; day < 6; day++) {
      service.clock.now += DAY
      await call(text)
      await written()
    }
    expect(typesOf(service)).not.toContain(EXPIRING)
  })
})
