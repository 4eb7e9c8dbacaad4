import { createResourceServer, type Store } from '@grantkit/core'
import { systemTime } from '@grantkit/core/internal'
import { createMemoryStore } from '@grantkit/store-memory'
import { describe, expect, it, vi } from 'vitest'
import {
  authorizationQuery,
  authorize,
  bodyOf,
  type ClientAnswer,
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
import { ISSUER, openService, REDIRECT_URI, type Service } from '../service.ts'

/**
 * A real store with switches: while `down`, every method rejects, like a lost connection. `deaf` loses the responses of
 * successful writes.
 */
function failingStore(now: () => number) {
  const real = createMemoryStore({ now })
  const outage = { down: false, writes: false, deaf: false, bug: undefined as Error | undefined }
  const guarded = <T extends object>(records: T): T =>
    new Proxy(records, {
      get:
        (target, verb) =>
        async (...input: unknown[]) => {
          const writes = verb !== 'find' && verb !== 'list'
          if (outage.bug !== undefined) throw outage.bug
          if (outage.down || (outage.writes && writes)) throw new Error('connect ECONNREFUSED 10.0.0.1:6379')
          const answer = await (Reflect.get(target, verb) as (...input: unknown[]) => unknown).apply(
            target,
            input,
          )
          if (outage.deaf && writes) throw new Error('read ETIMEDOUT')
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
  const service = openService({ store, now })
  const client = await register(service)
  return { service, client, outage, store, clock }
}

const UNAVAILABLE = { error: 'temporarily_unavailable', error_description: expect.any(String) }

describe('while the store is down', () => {
  it.each([
    ['/api/oauth/token', { form: { grant_type: 'refresh_token', client_id: 'x', refresh_token: 'y' } }],
    ['/api/oauth/revoke', { form: { token: 'x', client_id: 'x' } }],
    ['/api/oauth/introspect', { form: { token: 'x', client_id: 'x' } }],
    ['/api/oauth/register', { json: { redirect_uris: [REDIRECT_URI] } }],
  ])('REQ-76: %s answers 503 with Retry-After', async (path, message) => {
    const { service, outage } = await withFailingStore()
    outage.down = true
    const response = await service.send('POST', path, message)
    expect([response.status, response.headers['retry-after'], response.headers['cache-control']]).toEqual([
      503,
      '1',
      'no-store',
    ])
    expect(bodyOf(response)).toEqual(UNAVAILABLE)
    expect(response.body).not.toContain('ECONNREFUSED')
    expect(service.events.at(-1)).toMatchObject({
      type: 'failed',
      reason: 'store_unavailable',
      cause: expect.any(Error),
    })
  })

  it('ST-04, REQ-77: the guard returns 503 without a challenge, so that no client discards its token', async () => {
    const { service, client, outage, store } = await withFailingStore()
    const { access_token } = await tokensFor(service, client)
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

  it('HT-12: a bug of the store is a 500, and the event has the error with its stack', async () => {
    const { service, client, outage, store } = await withFailingStore()
    const { access_token } = await tokensFor(service, client)
    const bug = new TypeError('rows is undefined')
    outage.bug = bug
    const form = { grant_type: 'refresh_token', client_id: 'x', refresh_token: 'y' }
    const response = await service.send('POST', '/api/oauth/token', { form })
    expect([response.status, bodyOf(response)]).toEqual([
      500,
      expect.objectContaining({ error: 'server_error' }),
    ])
    expect(response.body).not.toContain('rows')
    expect(service.events.at(-1)).toEqual(
      expect.objectContaining({ type: 'failed', reason: 'unexpected', cause: bug }),
    )
    const events: unknown[] = []
    const api = createResourceServer({
      resource: ISSUER,
      store,
      scopes: {},
      onEvent: (event) => void events.push(event),
    })
    const headers = { authorization: `Bearer ${access_token}` }
    const access = await api.access({ method: 'GET', path: '/', query: '', headers, body: '' })
    expect(access).toMatchObject({ kind: 'refused', response: { status: 500 } })
    expect(events).toEqual([expect.objectContaining({ type: 'failed', reason: 'unexpected', cause: bug })])
  })

  it('REQ-76: authorize shows a page, and redirects once the client is known', async () => {
    const { service, client, outage } = await withFailingStore()
    await authorize(service, authorizationQuery(client.clientId))
    outage.writes = true
    expect(redirectOf(await decide(service))).toMatchObject({
      error: 'temporarily_unavailable',
      state: 'a state',
      iss: ISSUER,
    })
    outage.down = true
    const page = await authorize(service, authorizationQuery(client.clientId))
    expect([page.status, page.headers.location, page.headers['retry-after']]).toEqual([503, undefined, '1'])
  })

  it('REQ-76: metadata and keys are still served', async () => {
    const { service, outage } = await withFailingStore()
    outage.down = true
    for (const path of ['/.well-known/oauth-authorization-server', '/api/oauth/jwks']) {
      expect((await service.send('GET', path)).status).toBe(200)
    }
  })
})

describe('after an outage', () => {
  it('ST-01, REQ-76, REQ-80: a code whose exchange failed is still valid', async () => {
    const { service, client, outage } = await withFailingStore()
    const code = await codeFor(service, client.clientId)
    outage.writes = true
    expect((await redeem(service, client, code)).status).toBe(503)
    outage.writes = false
    expect((await redeem(service, client, code)).status).toBe(200)
  })

  it('ST-01: a code whose exchange was stored and not answered never gives a second pair', async () => {
    const { service, client, outage } = await withFailingStore()
    const code = await codeFor(service, client.clientId)
    outage.deaf = true
    expect((await redeem(service, client, code)).status).toBe(503)
    outage.deaf = false
    expect(bodyOf(await redeem(service, client, code)).error).toBe('invalid_grant')
  })

  it('REQ-49: a refresh token whose rotation failed is still valid', async () => {
    const { service, client, outage } = await withFailingStore()
    const { refresh_token } = await tokensFor(service, client)
    outage.writes = true
    expect((await refresh(service, client, refresh_token)).status).toBe(503)
    outage.writes = false
    expect((await refresh(service, client, refresh_token)).status).toBe(200)
  })

  it('ST-03, REQ-76: a failed revocation is not reported as a success', async () => {
    const { service, client, outage } = await withFailingStore()
    const { refresh_token } = await tokensFor(service, client)
    outage.writes = true
    const response = await service.send('POST', '/api/oauth/revoke', {
      form: { token: refresh_token, ...credentials(client) },
    })
    expect(response.status).toBe(503)
  })
})

describe('a refresh whose answer was lost in an outage', () => {
  it.each([75, 600])(
    'is answered %d s later by replicas that began since: no app of 40 is lost',
    async (later) => {
      const { service, outage, store, clock } = await withFailingStore()
      const apps: { client: ClientAnswer; token: string }[] = []
      while (apps.length < 40) {
        const client = await register(service)
        apps.push({ client, token: (await tokensFor(service, client)).refresh_token })
      }
      outage.deaf = true
      for (const { client, token } of apps) expect((await refresh(service, client, token)).status).toBe(503)
      outage.deaf = false
      clock.now += later
      const replicas = [1, 2].map(() => openService({ store, now: () => clock.now }))
      for (const [place, { client, token }] of apps.entries()) {
        const [one, other] = place % 2 === 0 ? replicas : replicas.toReversed()
        const again = await refresh(one as Service, client, token)
        expect(again.status, 'the retry').toBe(200)
        expect((await refresh(other as Service, client, token)).body, 'at another replica').toBe(again.body)
        const next = await refresh(other as Service, client, bodyOf<TokenAnswer>(again).refresh_token)
        expect(next.status, 'and life goes on').toBe(200)
      }
    },
  )

  it('emits an event with `late`, and the next refresh succeeds', async () => {
    const { service, client, clock } = await withFailingStore()
    const first = await tokensFor(service, client)
    const retry = async (token: string, later: number) => {
      const answer = bodyOf<TokenAnswer>(await refresh(service, client, token))
      clock.now += later
      expect(bodyOf(await refresh(service, client, token))).toMatchObject({
        refresh_token: answer.refresh_token,
      })
      return { token: answer.refresh_token, event: service.events.at(-1) }
    }
    const late = await retry(first.refresh_token, 600)
    expect(late.event).toMatchObject({ type: 'refresh_token_retried', retried: 'late', generation: 1 })
    const clean = bodyOf<TokenAnswer>(await refresh(service, client, late.token))
    expect((await retry(clean.refresh_token, 30)).event).toMatchObject({ retried: 'in window' })
  })

  it.each([
    [0, 61],
    [300, 301],
  ])('is not repeated later than the operator allows: %i s', async (refreshLateRetry, later) => {
    const service = openService({ lifetimes: { refreshLateRetry } })
    const client = await register(service)
    const { refresh_token } = await tokensFor(service, client)
    await refresh(service, client, refresh_token)
    service.clock.now += Math.max(60, refreshLateRetry) - 1
    expect((await refresh(service, client, refresh_token)).status).toBe(200)
    service.clock.now += later - Math.max(60, refreshLateRetry) + 1
    expect((await refresh(service, client, refresh_token)).status).toBe(400)
  })

  it('is not repeated after fifteen minutes, whatever fails in the meantime', async () => {
    const { service, client, outage, clock } = await withFailingStore()
    const { refresh_token } = await tokensFor(service, client)
    const { access_token } = bodyOf<TokenAnswer>(await refresh(service, client, refresh_token))
    for (const end = clock.now + 900; clock.now < end; clock.now += 30) {
      outage.down = true
      expect((await refresh(service, client, refresh_token)).status).toBe(503)
      outage.down = false
    }
    expect(bodyOf(await refresh(service, client, refresh_token)).error).toBe('invalid_grant')
    expect((await service.callApi(access_token)).kind).toBe('refused')
  })
})

describe('a thief with a spent refresh token', () => {
  /** The thief got the pair of the owner, late. */
  async function withThief() {
    const { service, client, clock } = await withFailingStore()
    const first = await tokensFor(service, client)
    const owned = bodyOf<TokenAnswer>(await refresh(service, client, first.refresh_token))
    clock.now += 600
    const stolen = bodyOf<TokenAnswer>(await refresh(service, client, first.refresh_token))
    const use = async (token: string) => bodyOf<TokenAnswer>(await refresh(service, client, token))
    return { service, clock, owned, stolen, use }
  }

  it('gets only the pair of its owner, and the grant is revoked once both have used it', async () => {
    const { service, clock, owned, stolen, use } = await withThief()
    expect([stolen.access_token, stolen.refresh_token]).toEqual([owned.access_token, owned.refresh_token])
    const next = await use(owned.refresh_token)
    clock.now += 60
    expect(await use(stolen.refresh_token)).toMatchObject({ error: 'invalid_grant' })
    expect((await service.callApi(next.access_token)).kind).toBe('refused')
    expect(service.events).toContainEqual(
      expect.objectContaining({ type: 'grant_ended', reason: 'refresh_token_reused' }),
    )
  })

  it('must retry within the window of each rotation of the owner, or the grant is revoked', async () => {
    const { clock, owned, stolen, use } = await withThief()
    const next = await use(owned.refresh_token)
    clock.now += 59
    expect(await use(stolen.refresh_token)).toMatchObject({ refresh_token: next.refresh_token })
    const third = await use(next.refresh_token)
    clock.now += 60
    expect(await use(next.refresh_token)).toMatchObject({ error: 'invalid_grant' })
    expect(await use(third.refresh_token)).toMatchObject({ error: 'invalid_grant' })
  })

  it('gets nothing after the owner has used the next token', async () => {
    const { service, client, clock } = await withFailingStore()
    const first = await tokensFor(service, client)
    const next = bodyOf<TokenAnswer>(await refresh(service, client, first.refresh_token))
    await refresh(service, client, next.refresh_token)
    clock.now += 61
    expect(bodyOf(await refresh(service, client, first.refresh_token)).error).toBe('invalid_grant')
    expect(service.events.at(-2)).toMatchObject({ type: 'grant_ended', reason: 'refresh_token_reused' })
  })
})

describe('a replica that stood still after it had read a refresh', () => {
  async function withFrozen() {
    const { service, client, store, clock } = await withFailingStore()
    const { refresh_token } = await tokensFor(service, client)
    const { promise: reading, resolve: read } = Promise.withResolvers<void>()
    const { promise: still, resolve: goOn } = Promise.withResolvers<void>()
    const find: Store['grants']['find'] = (id) => {
      read()
      return still.then(() => store.grants.find(id))
    }
    const grants = { ...store.grants, find }
    const frozen = openService({ store: { ...store, grants }, now: () => clock.now })
    /** The frozen replica reads a refresh. */
    const send = async () => {
      const answer = refresh(frozen, client, refresh_token)
      await reading
      return { answer }
    }
    return { service, client, clock, frozen, refresh_token, send, goOn }
  }

  it('revokes no grant when it continues, even if the token was rotated twice since', async () => {
    const { service, client, clock, send, refresh_token, goOn } = await withFrozen()
    const { answer } = await send()
    const second = bodyOf<TokenAnswer>(await refresh(service, client, refresh_token))
    clock.now += 70
    const third = bodyOf<TokenAnswer>(await refresh(service, client, second.refresh_token))
    clock.now += 70
    goOn()
    expect(bodyOf(await answer).error).toBe('invalid_grant')
    expect((await refresh(service, client, third.refresh_token)).status).toBe(200)
  })

  it('responds as to a retry', async () => {
    const { service, client, clock, frozen, send, refresh_token, goOn } = await withFrozen()
    const next = bodyOf<TokenAnswer>(await refresh(service, client, refresh_token))
    const { answer } = await send()
    clock.now += 2000
    goOn()
    expect(bodyOf(await answer)).toMatchObject({ refresh_token: next.refresh_token })
    expect(frozen.events.at(-1)).toMatchObject({ type: 'refresh_token_retried', retried: 'in window' })
  })
})

describe('a process that stood still', () => {
  /** Two replicas of one store. The second wakes after 75 seconds, and then reads what waited in its sockets. */
  function withSleeper() {
    const clock = { now: 1_800_000_000 }
    const now = () => clock.now
    const store = createMemoryStore({ now })
    let stoodStill = 0
    const standstill = () => stoodStill
    const wake = () => {
      clock.now += 75
      stoodStill = 75
    }
    return {
      service: openService({ store, now }),
      sleeper: openService({ store, now, standstill }),
      clock,
      wake,
    }
  }

  it('revokes no grant of an app that refreshed elsewhere meanwhile', async () => {
    const { service, sleeper, clock, wake } = withSleeper()
    const client = await register(service)
    const first = await tokensFor(service, client)
    clock.now += 3
    const second = bodyOf<TokenAnswer>(await refresh(service, client, first.refresh_token))
    const third = bodyOf<TokenAnswer>(await refresh(service, client, second.refresh_token))
    wake()
    const late = await refresh(sleeper, client, first.refresh_token)
    expect([late.status, bodyOf(late).error]).toEqual([400, 'invalid_grant'])
    expect(await refresh(sleeper, client, second.refresh_token)).toMatchObject({ status: 200 })
    expect((await refresh(service, client, third.refresh_token)).status).toBe(200)
  })

  it('revokes no tokens of an app that redeemed its code elsewhere meanwhile', async () => {
    const { service, sleeper, clock, wake } = withSleeper()
    const client = await register(service)
    const code = await codeFor(service, client.clientId)
    clock.now += 3
    const tokens = bodyOf<TokenAnswer>(await redeem(service, client, code))
    wake()
    expect((await redeem(sleeper, client, code)).status).toBe(400)
    expect((await refresh(service, client, tokens.refresh_token)).status).toBe(200)
  })

  it('still revokes the grant of a token that was spent a window before it stood still', async () => {
    const { service, sleeper, clock, wake } = withSleeper()
    const client = await register(service)
    const first = await tokensFor(service, client)
    const second = bodyOf<TokenAnswer>(await refresh(service, client, first.refresh_token))
    const third = bodyOf<TokenAnswer>(await refresh(service, client, second.refresh_token))
    clock.now += 60
    wake()
    expect((await refresh(sleeper, client, first.refresh_token)).status).toBe(400)
    expect((await refresh(service, client, third.refresh_token)).status).toBe(400)
  })
})

describe('a fault of the application', () => {
  it('is a 503 without details when it cannot look up a user', async () => {
    const service = openService({ claims: async () => Promise.reject(new Error('secret detail')) })
    const { access_token } = await tokensFor(service, await register(service))
    const response = await service.send('GET', '/api/oauth/userinfo', {
      headers: { authorization: `Bearer ${access_token}` },
    })
    expect([response.status, bodyOf(response).error]).toEqual([503, 'temporarily_unavailable'])
    expect(response.body).not.toContain('secret detail')
  })

  it('in onEvent affects no response: neither the code nor its tokens', async () => {
    const logged = vi.spyOn(console, 'error').mockReturnValue()
    const onEvent = () => {
      throw new Error('the log is full')
    }
    const service = openService({ onEvent })
    const client = await register(service)
    const { refresh_token } = await tokensFor(service, client)
    expect((await refresh(service, client, refresh_token)).status).toBe(200)
    expect(logged).toHaveBeenCalledOnce()
    logged.mockRestore()
  })

  it('leaves a code and a refresh token valid when no key can sign', async () => {
    const service = openService()
    const client = await register(service, { id_token_signed_response_alg: 'ES256' })
    const code = await codeFor(service, client.clientId)
    const withoutKey = openService({
      store: service.store,
      now: () => service.clock.now,
      keys: service.keys.slice(0, 1),
    })
    expect((await redeem(withoutKey, client, code)).status).toBe(503)
    const redeemed = await redeem(service, client, code)
    expect(redeemed.status).toBe(200)
    const { refresh_token } = bodyOf<TokenAnswer>(redeemed)
    expect((await refresh(withoutKey, client, refresh_token)).status).toBe(503)
    const kept = await service.store.grants.find(refresh_token.slice('gkr_'.length, 'gkr_'.length + 22))
    expect(kept?.value.refresh?.generation).toBe(0)
  })
})

it('REQ-79: a grant that another writer always changes first is a 503, and nothing is consumed', async () => {
  const { clients, grants } = createMemoryStore()
  const contended = { ...grants, replace: async () => false }
  const calm = openService({ store: { clients, grants } })
  const client = await register(calm)
  const code = await codeFor(calm, client.clientId)
  const { refresh_token, access_token } = await tokensFor(calm, client)
  // Its pauses take no time.
  const time = { ...systemTime, sleep: async () => {} }
  const busy = openService({ store: { clients, grants: contended }, time })
  const form = { ...credentials(client), token: access_token }
  for (const answer of [
    await redeem(busy, client, code),
    await refresh(busy, client, refresh_token),
    await busy.send('POST', '/api/oauth/revoke', { form }),
  ]) {
    expect([answer.status, answer.headers['retry-after'], bodyOf(answer)]).toEqual([503, '1', UNAVAILABLE])
    expect(busy.events.at(-1)).toMatchObject({ type: 'failed', reason: 'contention' })
  }
  expect((await redeem(calm, client, code)).status).toBe(200)
  expect((await refresh(calm, client, refresh_token)).status).toBe(200)
})

it('REQ-80: a change that lost a race is repeated on the current record', async () => {
  const { clients, grants } = createMemoryStore()
  let lost = 0
  const replace: Store['grants']['replace'] = async (...input) =>
    lost++ < 2 ? false : grants.replace(...input)
  const service = openService({ store: { clients, grants: { ...grants, replace } } })
  const { access_token } = await tokensFor(service, await register(service))
  expect([lost, (await service.callApi(access_token)).kind]).toEqual([3, 'authorized'])
})

it('ST-07: a record of a newer version is read, and its unknown members are ignored', async () => {
  const service = openService()
  const client = await register(service)
  const tokens = await tokensFor(service, client)
  const { clients, grants } = service.store
  const newer = <R extends { readonly value: object }>(found: R | undefined) =>
    found && { ...found, value: { ...found.value, addedLater: { nested: [1] } } }
  const [findClient, findGrant] = [clients.find.bind(clients), grants.find.bind(grants)]
  clients.find = async (id) => newer(await findClient(id))
  grants.find = async (id) => newer(await findGrant(id))
  expect(await service.callApi(tokens.access_token)).toMatchObject({ kind: 'authorized' })
  expect((await refresh(service, client, tokens.refresh_token)).status).toBe(200)
  expect(await tokensFor(service, client)).toHaveProperty('access_token')
})
