import { createResourceServer, type Store } from '@grantkit/core'
import { createMemoryStore } from '@grantkit/store-memory'
import { describe, expect, it, vi } from 'vitest'
import {
  authorizationQuery,
  authorize,
  bodyOf,
  codeFor,
  credentials,
  decide,
  redeem,
  redirectOf,
  refresh,
  register,
  type TokenAnswer,
  tokensFor,
} from '../client.ts'
import { ISSUER, openSchool, REDIRECT_URI } from '../school.ts'

/**
 * A real store with switches: while `down`, every method rejects, like a lost connection. `deaf` loses the answers of
 * writes that were carried out.
 */
function failingStore(now: () => number) {
  const real = createMemoryStore({ now })
  const outage = { down: false, writes: false, deaf: false }
  const guarded = <T extends object>(records: T): T =>
    new Proxy(records, {
      get:
        (target, verb) =>
        async (...given: unknown[]) => {
          const writes = verb !== 'find' && verb !== 'listBySubject'
          if (outage.down || (outage.writes && writes))
            throw new TypeError('connect ECONNREFUSED 10.0.0.1:6379')
          const answer = await (Reflect.get(target, verb) as (...given: unknown[]) => unknown).apply(
            target,
            given,
          )
          if (outage.deaf && writes) throw new TypeError('read ETIMEDOUT')
          return answer
        },
    })
  const store: Store = { clients: guarded(real.clients), grants: guarded(real.grants) }
  return { store, outage }
}

async function withFailingStore() {
  const clock = { now: 1_800_000_000 }
  const now = () => clock.now
  const { store, outage } = failingStore(now)
  const school = openSchool({ store, now })
  const client = await register(school)
  return { school, client, outage, store, clock }
}

const UNAVAILABLE = { error: 'temporarily_unavailable', error_description: expect.any(String) }

describe('while the store is down', () => {
  it.each([
    ['/api/oauth/token', { form: { grant_type: 'refresh_token', client_id: 'x', refresh_token: 'y' } }],
    ['/api/oauth/revoke', { form: { token: 'x', client_id: 'x' } }],
    ['/api/oauth/introspect', { form: { token: 'x', client_id: 'x' } }],
    ['/api/oauth/register', { json: { redirect_uris: [REDIRECT_URI] } }],
  ])('%s answers 503 and when to come back', async (path, message) => {
    const { school, outage } = await withFailingStore()
    outage.down = true
    const response = await school.send('POST', path, message)
    expect([response.status, response.headers['retry-after'], response.headers['cache-control']]).toEqual([
      503,
      '1',
      'no-store',
    ])
    expect(bodyOf(response)).toEqual(UNAVAILABLE)
    expect(response.body).not.toContain('ECONNREFUSED')
    expect(school.events.at(-1)).toMatchObject({
      type: 'failed',
      reason: 'store_unavailable',
      cause: expect.any(TypeError),
    })
  })

  it('the guard answers 503 without a challenge, so that no client discards its token', async () => {
    const { school, client, outage, store } = await withFailingStore()
    const { access_token } = await tokensFor(school, client)
    outage.down = true
    const api = createResourceServer({ resource: ISSUER, store, scopes: {} })
    const access = await api.access({
      method: 'GET',
      path: '/',
      query: '',
      headers: { authorization: `Bearer ${access_token}` },
      body: '',
    })
    expect(access).toMatchObject({ kind: 'refused', response: { status: 503 } })
    if (access.kind === 'refused') expect(access.response.headers).not.toHaveProperty('www-authenticate')
  })

  it('authorize shows a page, and redirects once the client is known', async () => {
    const { school, client, outage } = await withFailingStore()
    await authorize(school, authorizationQuery(client.client_id))
    outage.writes = true
    expect(redirectOf(await decide(school))).toMatchObject({
      error: 'temporarily_unavailable',
      state: 'a state',
      iss: ISSUER,
    })
    outage.down = true
    const page = await authorize(school, authorizationQuery(client.client_id))
    expect([page.status, page.headers.location, page.headers['retry-after']]).toEqual([503, undefined, '1'])
  })

  it('discovery and keys still answer', async () => {
    const { school, outage } = await withFailingStore()
    outage.down = true
    for (const path of ['/.well-known/oauth-authorization-server', '/api/oauth/jwks']) {
      expect((await school.send('GET', path)).status).toBe(200)
    }
  })
})

describe('after an outage', () => {
  it('a code whose exchange failed is still good', async () => {
    const { school, client, outage } = await withFailingStore()
    const code = await codeFor(school, client.client_id)
    outage.writes = true
    expect((await redeem(school, client, code)).status).toBe(503)
    outage.writes = false
    expect((await redeem(school, client, code)).status).toBe(200)
  })

  it('a refresh token whose rotation failed is still good', async () => {
    const { school, client, outage } = await withFailingStore()
    const { refresh_token } = await tokensFor(school, client)
    outage.writes = true
    expect((await refresh(school, client, refresh_token)).status).toBe(503)
    outage.writes = false
    expect((await refresh(school, client, refresh_token)).status).toBe(200)
  })

  it('a rotation whose answer was lost is answered when the store is back, even after half an hour', async () => {
    const { school, client, outage, clock } = await withFailingStore()
    const { refresh_token } = await tokensFor(school, client)
    outage.deaf = true
    expect((await refresh(school, client, refresh_token)).status).toBe(503)
    outage.deaf = false
    outage.down = true
    for (const end = clock.now + 1800; clock.now < end; clock.now += 30)
      expect((await refresh(school, client, refresh_token)).status).toBe(503)
    outage.down = false
    expect((await refresh(school, client, refresh_token)).status).toBe(200)
    clock.now += 60
    expect((await refresh(school, client, refresh_token)).status, 'a copy, after the window').toBe(400)
  })

  it('a failed revocation is not reported as a success', async () => {
    const { school, client, outage } = await withFailingStore()
    const { refresh_token } = await tokensFor(school, client)
    outage.writes = true
    const response = await school.send('POST', '/api/oauth/revoke', {
      form: { token: refresh_token, ...credentials(client) },
    })
    expect(response.status).toBe(503)
  })
})

describe('a fault of the application', () => {
  it('is a 503 that says nothing when it cannot look up a user', async () => {
    const school = openSchool({ claims: async () => Promise.reject(new Error('secret detail')) })
    const { access_token } = await tokensFor(school, await register(school))
    const response = await school.send('GET', '/api/oauth/userinfo', {
      headers: { authorization: `Bearer ${access_token}` },
    })
    expect([response.status, bodyOf(response).error]).toEqual([503, 'temporarily_unavailable'])
    expect(response.body).not.toContain('secret detail')
  })

  it('in onEvent costs nobody an answer: not the code, not its tokens', async () => {
    const told = vi.spyOn(console, 'error').mockReturnValue()
    const onEvent = () => {
      throw new Error('the log is full')
    }
    const school = openSchool({ onEvent })
    const client = await register(school)
    const { refresh_token } = await tokensFor(school, client)
    expect((await refresh(school, client, refresh_token)).status).toBe(200)
    expect(told).toHaveBeenCalledOnce()
    told.mockRestore()
  })

  it('leaves a code and a refresh token good when no key can sign for them', async () => {
    const school = openSchool()
    const client = await register(school, { id_token_signed_response_alg: 'ES256' })
    const code = await codeFor(school, client.client_id)
    const withoutKey = openSchool({
      store: school.store,
      now: () => school.clock.now,
      keys: school.keys.slice(0, 1),
    })
    expect((await redeem(withoutKey, client, code)).status).toBe(503)
    const redeemed = await redeem(school, client, code)
    expect(redeemed.status).toBe(200)
    const { refresh_token } = bodyOf<TokenAnswer>(redeemed)
    expect((await refresh(withoutKey, client, refresh_token)).status).toBe(503)
    const kept = await school.store.grants.find(refresh_token.slice('gkr_'.length, 'gkr_'.length + 22))
    expect(kept?.value.refresh?.generation).toBe(0)
  })
})
