import { clientDocuments } from '@grantkit/core/client-documents'
import { type Client, type Grant, newGrantId, type Stored, type Transients } from '@grantkit/core/feature'
import { strongRandom } from '@grantkit/core/internal'
import { createMemoryStore } from '@grantkit/store-memory'
import { createLocalJWKSet, decodeJwt, jwtVerify } from 'jose'
import { describe, expect, it, vi } from 'vitest'
import { type BackChannelLogoutOptions, backChannelLogout } from '../src/index.ts'
import {
  addClient,
  BACK,
  codeIn,
  LOGOUT_URI,
  openWithBackChannel,
  sessionId,
  signIn,
  type Tokens,
} from './back-channel-service.ts'
import {
  authorizationQuery,
  authorize,
  bodyOf,
  ISSUER,
  openService,
  REDIRECT_URI,
  redeem,
  redirectOf,
  register,
  SCOPES,
  TEST_KEYS,
} from './service.ts'

const EVENTS = { 'http://schemas.openid.net/event/backchannel-logout': {} }
const ALICE = { subject: 'alice', sessionIds: [sessionId()] }

describe('the metadata', () => {
  it('say that logout tokens are sent, and that they have a sid', () => {
    expect(openWithBackChannel().service.server.metadata).toMatchObject({
      backchannel_logout_supported: true,
      backchannel_logout_session_supported: true,
    })
  })

  it('say nothing without the feature', () => {
    expect(openService().server.metadata).not.toHaveProperty('backchannel_logout_supported')
  })

  it.each([
    ['http', 'http://app.dev/bcl'],
    ['a fragment', 'https://app.dev/bcl#a'],
    ['a private address', 'https://10.0.0.1/bcl'],
    ['a private name', 'https://printer.local/bcl'],
    ['the server itself', `${ISSUER}/bcl`],
    ['another port', 'https://app.dev:8443/bcl'],
  ])(
    'BL-01: client metadata cannot have a logout address that is not public https: %s',
    async (_, backchannelLogoutUri) => {
      const { service } = openWithBackChannel()
      await expect(addClient(service, { backchannelLogoutUri })).rejects.toMatchObject({
        error: 'invalid_client_metadata',
      })
    },
  )

  it('BL-02: a client that registers itself has no logout address: the server would send to it', async () => {
    const { service } = openWithBackChannel()
    const answer = await register(service, { backchannel_logout_uri: LOGOUT_URI })
    expect(answer).not.toHaveProperty('backchannel_logout_uri')
  })
})

it.each<[string, Partial<BackChannelLogoutOptions>, Parameters<typeof openService>[0]]>([
  ['sessionLifetime', { sessionLifetime: 0 }, {}],
  ['sessionLifetime', { sessionLifetime: 1.5 }, {}],
  ['store', {}, { store: { ...createMemoryStore(), transients: undefined } }],
  ['keys', {}, { keys: [], scopes: {} as never, features: [backChannelLogout({ post: vi.fn() })] }],
])('the feature cannot work without a valid %s', (name, options, server) => {
  expect(() => openWithBackChannel({ ...options, server })).toThrow(new RegExp(`^backChannelLogout.*${name}`))
  expect(() => openWithBackChannel({ sessionLifetime: 1 })).not.toThrow()
})

describe('a client with a document', () => {
  const ID = 'https://editor.dev/client.json'
  it.each<[string, unknown, number]>([
    ['its own host', 'https://editor.dev/bcl', 1],
    ['another host', LOGOUT_URI, 0],
    ['no text', 7, 0],
  ])(
    'BL-03: a client with a document hears of the end of a session only at its own host: %s',
    async (_, backchannel_logout_uri, heard) => {
      const document = {
        client_id: ID,
        client_name: 'Editor',
        redirect_uris: [REDIRECT_URI],
        token_endpoint_auth_method: 'none',
        backchannel_logout_uri,
      }
      const opened = openWithBackChannel({ features: [clientDocuments({ pinned: [document] })] })
      const { id_token } = await signIn(opened.service, { clientId: ID })
      expect(decodeJwt(id_token).sid === undefined).toBe(heard === 0)
      await opened.service.server.sessions.ended(ALICE)
      await opened.deliver()
      expect(opened.received).toHaveLength(heard)
    },
  )
})

describe('sid', () => {
  it('BL-04: sid is an HMAC of the session, and is in every ID token of it, also after a refresh', async () => {
    const { service } = openWithBackChannel()
    const client = await addClient(service)
    const tokens = await signIn(service, client)
    const { sid } = decodeJwt(tokens.id_token)
    expect(sid).toMatch(/^[\w-]{22}$/)
    const refreshed = await service.send('POST', '/api/oauth/token', {
      form: {
        grant_type: 'refresh_token',
        refresh_token: tokens.refresh_token,
        client_id: client.clientId,
        client_secret: client.clientSecret ?? '',
      },
    })
    expect(decodeJwt(bodyOf<Tokens>(refreshed).id_token).sid).toBe(sid)
    expect(decodeJwt((await signIn(service, client, sessionId('alice', 200))).id_token).sid).not.toBe(sid)
  })

  it('is in no ID token of another client', async () => {
    const { service } = openWithBackChannel()
    const client = await addClient(service, { backchannelLogoutUri: undefined })
    expect(decodeJwt((await signIn(service, client)).id_token)).not.toHaveProperty('sid')
  })
})

describe('the logout token', () => {
  it('BL-06: a logout token is good for two minutes, and has no nonce', async () => {
    const { service, received, deliver } = openWithBackChannel()
    const client = await addClient(service)
    const { sid } = decodeJwt((await signIn(service, client)).id_token)
    await service.server.sessions.ended(ALICE)
    expect(received, 'a sign-out waits for no delivery').toEqual([])
    await deliver()
    expect(received).toHaveLength(1)
    const [{ url, type, token }] = received as [(typeof received)[0]]
    const keys = createLocalJWKSet(await publishedKeys(service))
    const { payload, protectedHeader } = await jwtVerify(token, keys, {
      ...{ issuer: ISSUER, audience: client.clientId, typ: 'logout+jwt' },
      currentDate: new Date(1000 * service.clock.now),
    })
    expect([url, type]).toEqual([LOGOUT_URI, 'application/x-www-form-urlencoded'])
    expect(protectedHeader).toMatchObject({ alg: 'RS256', typ: 'logout+jwt' })
    expect(payload).toEqual({
      ...{ iss: ISSUER, aud: client.clientId, sub: 'alice', sid, events: EVENTS },
      ...{ iat: service.clock.now, exp: service.clock.now + 120, jti: expect.stringMatching(/^[\w-]{22}$/) },
    })
  })

  it('is signed with the algorithm of the ID tokens of the client', async () => {
    const { service, received, deliver } = openWithBackChannel()
    await signIn(service, await addClient(service, { idTokenSignedResponseAlg: 'ES256' }))
    await service.server.sessions.ended(ALICE)
    await deliver()
    expect(received).toMatchObject([{ header: { alg: 'ES256' } }])
  })

  it('is signed with another algorithm when the server has no key for that one any more', async () => {
    const store = createMemoryStore({ now: () => 1_800_000_000 })
    const before = openWithBackChannel({ store })
    await signIn(before.service, await addClient(before.service))
    const keys = TEST_KEYS.filter(({ alg }) => alg === 'ES256')
    const { service, received, deliver } = openWithBackChannel({
      ...{ store, server: { keys, idTokenAlgorithm: 'ES256' } },
    })
    await service.server.sessions.ended(ALICE)
    await deliver()
    expect(received).toMatchObject([{ header: { alg: 'ES256' } }])
  })

  it('BL-05: a logout token is no ID token: the server refuses it as a hint', async () => {
    const { service, received, deliver } = openWithBackChannel()
    await signIn(service, await addClient(service))
    await service.server.sessions.ended(ALICE)
    await deliver()
    const query = { id_token_hint: received[0]?.token ?? '' }
    const answer = await service.send('GET', '/oauth/logout', { query })
    expect([answer.status, answer.body]).toEqual([400, 'logout_hint_unverified'])
  })

  it('has no sid if all sessions end, and one for each session of a client that requires it', async () => {
    const { service, received, deliver } = openWithBackChannel()
    const [one, other] = [
      await addClient(service),
      await addClient(service, { backchannelLogoutSessionRequired: true }),
    ]
    const sessionIds = [sessionId('alice', 100), sessionId('alice', 200)]
    for (const client of [one, other]) for (const id of sessionIds) await signIn(service, client, id)
    await service.server.sessions.ended({ subject: 'alice', sessionIds, all: true })
    await deliver()
    const sidsOf = ({ clientId }: { clientId: string }) =>
      received.filter(({ claims }) => claims.aud === clientId).map(({ claims }) => claims.sid)
    expect(sidsOf(one)).toEqual([undefined])
    expect(new Set(sidsOf(other)).size).toBe(2)
    expect(sidsOf(other)).not.toContain(undefined)
  })
})

describe('the end of a session', () => {
  it('is told to each of its clients once, however often it is reported', async () => {
    const { service, received, deliver } = openWithBackChannel()
    const [one, other] = [await addClient(service), await addClient(service)]
    for (const client of [one, other, one]) await signIn(service, client)
    for (let time = 0; time < 3; time++) await service.server.sessions.ended(ALICE)
    await deliver()
    expect(received.map(({ claims }) => claims.aud).sort()).toEqual([one.clientId, other.clientId].sort())
  })

  it('is told to clients whose grant has ended', async () => {
    const { service, received, deliver } = openWithBackChannel()
    await signIn(service, await addClient(service))
    await service.server.grants.revokeAll('alice')
    await service.server.sessions.ended(ALICE)
    await deliver()
    expect(received).toHaveLength(1)
  })

  it('concerns no other session, and no client that had no ID token in it', async () => {
    const { service, received, deliver } = openWithBackChannel()
    await signIn(service, await addClient(service), sessionId('alice', 200))
    await signIn(service, await addClient(service), sessionId(), 'courses:read')
    await service.server.sessions.ended(ALICE)
    await deliver()
    expect(received).toEqual([])
  })

  it('is told by a request of a client to log out, before the answer', async () => {
    const { service, received, deliver } = openWithBackChannel()
    const client = await addClient(service)
    const { id_token } = await signIn(service, client)
    const query = { id_token_hint: id_token, post_logout_redirect_uri: BACK, state: 's' }
    const answer = await service.send('GET', '/oauth/logout', {
      query,
      headers: { cookie: `user=${sessionId()}` },
    })
    expect(answer.headers.location).toBe(`${BACK}?state=s`)
    await deliver()
    expect(received).toMatchObject([{ claims: { aud: client.clientId, sid: decodeJwt(id_token).sid } }])
  })

  it('ends the grants of a bound client without openid, and tells it nothing', async () => {
    const { service, received, deliver } = openWithBackChannel()
    const [bound, late] = [
      await addClient(service, { sessionBound: true }),
      await addClient(service, { sessionBound: true }),
    ]
    await signIn(service, bound, sessionId(), 'courses:read')
    const code = await codeIn(service, late, sessionId(), 'courses:read')
    await service.server.sessions.ended(ALICE)
    await deliver()
    const { grants } = await service.server.grants.list('alice')
    expect(grants.map(({ clientId }) => clientId)).not.toContain(bound.clientId)
    expect(bodyOf(await redeem(service, late, code))).toMatchObject({ error: 'invalid_grant' })
    expect(received).toEqual([])
  })

  it('is marked for as long as a code of it could live, and no longer', async () => {
    const { service, store } = openWithBackChannel({ server: { lifetimes: { code: 300 } } })
    const client = await addClient(service)
    const code = await codeIn(service, client)
    const expiries: number[] = []
    const transients = store.transients as Transients
    const { insert } = transients
    transients.insert = (id, value, expiresAt) => {
      expiries.push(expiresAt - service.clock.now)
      return insert(id, value, expiresAt)
    }
    await service.server.sessions.ended(ALICE)
    expect(expiries).toEqual([420])
    service.clock.now += 299
    expect(bodyOf(await redeem(service, client, code))).toMatchObject({ error: 'invalid_grant' })
    expect(service.events).toContainEqual(expect.objectContaining({ reason: 'session_ended' }))
  })

  it('BL-08: codes of an ended session are worthless for a client that would not hear of its end', async () => {
    const { service } = openWithBackChannel()
    const [hears, hearsNot] = [
      await addClient(service),
      await addClient(service, { backchannelLogoutUri: undefined }),
    ]
    const codes = [await codeIn(service, hears), await codeIn(service, hearsNot)]
    await service.server.sessions.ended(ALICE)
    const answers = [
      await redeem(service, hears, codes[0] ?? ''),
      await redeem(service, hearsNot, codes[1] ?? ''),
    ]
    expect(answers.map(({ status }) => status)).toEqual([400, 200])
    expect(bodyOf(answers[0] as never)).toMatchObject({ error: 'invalid_grant' })
    expect(service.events).toContainEqual(expect.objectContaining({ reason: 'session_ended' }))
  })

  it.each(['code_unknown', 'code_of_other_client', 'code_expired', 'code_replayed'])(
    'changes no other error of a code: %s',
    async (reason) => {
      const { service, undelivered } = openWithBackChannel()
      const [client, other] = [await addClient(service), await addClient(service)]
      const code = await codeIn(service, client)
      if (reason === 'code_replayed') await redeem(service, client, code)
      await service.server.sessions.ended(ALICE)
      if (reason === 'code_unknown') await removeGrants(service)
      if (reason === 'code_expired') service.clock.now += 60
      const answer = await redeem(service, reason === 'code_of_other_client' ? other : client, code)
      expect(bodyOf(answer)).toMatchObject({ error: 'invalid_grant' })
      expect(service.events.flatMap((event) => ('reason' in event ? event.reason : []))).toContain(reason)
      expect(undelivered()).toEqual([])
    },
  )

  it.each([
    [499, 0],
    [500, 1],
  ])(
    'is known for the whole life of a session, also after %d of 1000 seconds: %d writes',
    async (late, writes) => {
      const { service, store, received, deliver, undelivered } = openWithBackChannel({
        sessionLifetime: 1000,
      })
      const client = await addClient(service)
      await signIn(service, client)
      service.clock.now += late
      const replace = vi.spyOn(store.transients as Transients, 'replace')
      await signIn(service, client)
      expect(replace).toHaveBeenCalledTimes(writes)
      service.clock.now += writes === 0 ? 1 : 999
      await service.server.sessions.ended(ALICE)
      await deliver()
      expect([received.length, undelivered()]).toEqual([1, []])
    },
  )

  it('is logged if a client refuses its message', async () => {
    const { service, internet, undelivered, deliver } = openWithBackChannel()
    internet.answer = 400
    const { clientId, clientSecret } = await addClient(service)
    const { sid } = decodeJwt((await signIn(service, { clientId, clientSecret })).id_token)
    await service.server.sessions.ended(ALICE)
    await deliver()
    const facts = { why: 'refused', count: 1, attempts: 1, status: 400 }
    expect(undelivered()).toEqual([{ type: 'logout_undelivered', subject: 'alice', clientId, sid, ...facts }])
  })

  it.each(['removed', 'without an address'])('notifies no client that is %s by then', async (state) => {
    for (const by of ['sign-out', 'delivery']) {
      const { service, store, received, undelivered, deliver } = openWithBackChannel()
      const { clientId, clientSecret } = await addClient(service)
      await signIn(service, { clientId, clientSecret })
      if (by === 'delivery') await service.server.sessions.ended(ALICE)
      const client = (await store.clients.find(clientId)) as Stored<Client>
      await store.clients.remove(clientId)
      if (state !== 'removed')
        await store.clients.insert(clientId, { ...client.value, featureMetadata: {} }, client.value.expiresAt)
      await service.server.sessions.ended(ALICE)
      await deliver()
      service.clock.now += 30 * 60 * 60 - 1
      await deliver()
      expect([received, undelivered()]).toEqual([[], []])
    }
  })

  it.each([LOGOUT_URI, undefined])(
    'ends no grant, except those of a client that is bound to the session and has no offline_access: %s',
    async (backchannelLogoutUri) => {
      const scopes = { ...SCOPES, offline_access: { description: 'While you are away' } }
      const { service, store, undelivered } = openWithBackChannel({ server: { scopes } })
      const metadata = { backchannelLogoutUri, sessionBound: true }
      const [free, bound] = [await addClient(service), await addClient(service, metadata)]
      for (const client of [free, bound]) await signIn(service, client)
      const owner = { subject: 'alice', clientId: bound.clientId }
      const [one] = (await store.grants.list(owner, { limit: 1 })).grants as [Grant]
      await signIn(service, bound, sessionId('alice', 200))
      await signIn(service, bound, sessionId(), 'openid offline_access')
      const copies = Array.from({ length: 101 }, () => ({ ...one, id: newGrantId(strongRandom) }))
      for (const copy of copies) await store.grants.insert(copy.id, copy, copy.expiresAt)
      await service.server.sessions.ended(ALICE)
      const { grants } = await service.server.grants.list('alice', { limit: 200 })
      const left = [free, bound, bound].map(({ clientId }) => clientId)
      expect(grants.map(({ clientId }) => clientId).sort()).toEqual(left.sort())
      const ended = { type: 'grant_revoked', ...owner, grantId: one.id, by: 'server' }
      expect(service.events).toContainEqual(ended)
      expect(undelivered()).toEqual([])
    },
  )

  it('names sessions by a secret: the sid of a former secret still ends its session', async () => {
    const store = createMemoryStore({ now: () => 1_800_000_000 })
    const before = openWithBackChannel({ store })
    const { sid } = decodeJwt((await signIn(before.service, await addClient(before.service))).id_token)
    const secret = [
      'another secret of the tests, long enough',
      'a secret of the tests, long enough to pass',
    ] as const
    const { service, received, deliver } = openWithBackChannel({ store, server: { secret } })
    await service.server.sessions.ended(ALICE)
    await deliver()
    expect(received).toMatchObject([{ claims: { sid } }])
  })

  it('is told to a client whose code is redeemed at the same time, or its code is refused', async () => {
    for (let round = 0; round < 20; round++) {
      const { service, received, deliver } = openWithBackChannel()
      const [first, second] = [await addClient(service), await addClient(service)]
      await signIn(service, first)
      const code = await codeIn(service, second)
      const [answer] = await Promise.all([
        redeem(service, second, code),
        service.server.sessions.ended(ALICE),
      ])
      await deliver()
      const heard = received.some(({ claims }) => claims.aud === second.clientId)
      expect([answer.status, heard]).toEqual(answer.status === 200 ? [200, true] : [400, false])
    }
  })

  it('goes on with a store that fails, and is logged', async () => {
    const { service, store, undelivered } = openWithBackChannel()
    await signIn(service, await addClient(service))
    const { transients } = store as Required<typeof store>
    Object.assign(transients as object, { find: async () => Promise.reject(new Error('down')) })
    await service.server.sessions.ended(ALICE)
    expect(undelivered()).toMatchObject([{ why: 'not_stored', subject: 'alice', count: 1 }])
  })

  it('goes on with a store in which others always write first', async () => {
    const { service, store, undelivered } = openWithBackChannel()
    await signIn(service, await addClient(service))
    const other = await addClient(service)
    const code = await codeIn(service, other)
    Object.assign(store.transients as object, { replace: async () => false })
    expect(await redeem(service, other, code)).toMatchObject({ status: 503 })
    await service.server.sessions.ended({ ...ALICE, sessionIds: [sessionId(), sessionId('alice', 200)] })
    expect(undelivered()).toMatchObject([{ why: 'not_stored', subject: 'alice', count: 2 }])
  })

  it('BL-07: a session has at most a hundred clients that hear of its end', async () => {
    const { service, undelivered, received, deliver } = openWithBackChannel()
    const clients = await Promise.all(Array.from({ length: 101 }, () => addClient(service)))
    for (const client of clients) await signIn(service, client)
    expect(undelivered()).toMatchObject([{ why: 'too_many_clients', clientId: clients[100]?.clientId }])
    await service.server.sessions.ended(ALICE)
    await deliver()
    expect(received).toHaveLength(100)
  })
})

/** The module of the plan, from its public description: one flow, then the three messages in any order. */
describe('oidcc-backchannel-rp-initiated-logout', () => {
  it('end_session sends the logout token and the redirect; then prompt=none fails', async () => {
    const { service, received, deliver } = openWithBackChannel()
    const client = await addClient(service, {
      tokenEndpointAuthMethod: 'client_secret_post',
      backchannelLogoutSessionRequired: true,
    })
    const { id_token } = await signIn(service, client)
    const cookie = `user=${sessionId()}`
    const query = { id_token_hint: id_token, post_logout_redirect_uri: BACK, state: 'a-random-state' }
    const { headers } = await service.send('GET', '/oauth/logout', { query, headers: { cookie } })
    await deliver()
    expect(headers.location).toBe(`${BACK}?state=a-random-state`)
    const { sid, sub } = decodeJwt(id_token)
    expect(received).toMatchObject([{ claims: { sub, sid, events: EVENTS } }])
    expect(received[0]?.claims).not.toHaveProperty('nonce')
    const cookieLeft = String(headers['set-cookie']).split(';')[0]
    const silent = await authorize(
      service,
      authorizationQuery(client.clientId, { prompt: 'none' }),
      cookieLeft,
    )
    expect(redirectOf(silent)).toMatchObject({ error: 'login_required' })
  })

  it('discovery has what the module checks', () => {
    const { metadata } = openWithBackChannel().service.server
    expect(metadata).toMatchObject({
      issuer: ISSUER,
      end_session_endpoint: `${ISSUER}/oauth/logout`,
      backchannel_logout_supported: true,
      backchannel_logout_session_supported: true,
    })
  })
})

async function removeGrants({ store: { grants } }: ReturnType<typeof openService>) {
  for await (const { id } of grants.scan()) await grants.remove(id)
}

async function publishedKeys(service: ReturnType<typeof openService>) {
  const { pathname } = new URL(String(service.server.metadata.jwks_uri))
  return bodyOf(await service.send('GET', pathname)) as never
}
