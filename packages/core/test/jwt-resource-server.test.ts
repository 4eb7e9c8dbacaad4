import { dpopProofs } from '@grantkit/core/dpop'
import type { Transients } from '@grantkit/core/feature'
import { revocationFeed } from '@grantkit/core/jwt-access-tokens'
import { createJwtResourceServer, revokedTokens } from '@grantkit/core/jwt-resource-server'
import { createMemoryStore } from '@grantkit/store-memory'
import { decodeJwt, type JWTPayload, SignJWT } from 'jose'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  bodyOf,
  type ClientAnswer,
  credentials,
  refresh,
  register,
  type TokenAnswer,
  tokensFor,
} from './client.ts'
import { API, EC_KEY, NOW, openEdge, openFeed, RSA_KEY, request, SCOPES, signed } from './edge-service.ts'
import { ISSUER, openService, type Service } from './service.ts'
import { signingKey, TEST_KEYS } from './signing-keys.ts'

describe('the guard without the store', () => {
  it('returns the same access for a valid token as the guard with the store', async () => {
    const { api, client, tokens } = await openEdge()
    expect(await api.access(request(tokens.access_token), 'courses:read')).toEqual({
      kind: 'authorized',
      token: {
        grantId: expect.stringMatching(/^[\w-]{22}$/),
        subject: 'alice',
        clientId: client.clientId,
        scopes: ['openid', 'profile', 'courses:read'],
        resources: [API],
        issuedAt: NOW,
        expiresAt: NOW + 300,
        authTime: NOW,
      },
    })
  })

  it('challenges like the guard with the store', async () => {
    const { api, tokens } = await openEdge()
    const metadata = `resource_metadata="${ISSUER}/.well-known/oauth-protected-resource/mcp"`
    const challengeOf = async (token: string | undefined, scope: keyof typeof SCOPES) => {
      const access = await api.access(request(token), scope)
      return access.kind === 'refused'
        ? [access.response.status, access.response.headers['www-authenticate']]
        : access.kind
    }
    expect(await challengeOf(undefined, 'courses:read')).toEqual([
      401,
      `Bearer scope="courses:read", ${metadata}`,
    ])
    expect(await challengeOf('eyJx.y.z', 'courses:read')).toEqual([
      401,
      expect.stringContaining('error="invalid_token"'),
    ])
    expect(await challengeOf(tokens.access_token, 'courses:write')).toEqual([
      403,
      expect.stringContaining('error="insufficient_scope"'),
    ])
  })

  it('allows no anonymous request unless configured', async () => {
    const { api } = await openEdge({ anonymous: 'allow' })
    expect(await api.access(request())).toEqual({ kind: 'anonymous' })
  })

  it.each([
    ['is good for the whole of its life', 299, 'authorized'],
    ['may be used a little late, since clocks differ', 359, 'authorized'],
    ['is refused after that', 360, 'refused'],
    ['may come from a clock a little ahead', -60, 'authorized'],
    ['is refused from the future', -61, 'refused'],
  ])('a token %s', async (_, later, kind) => {
    const { api, clock, tokens } = await openEdge()
    clock.now += later
    expect(await api.access(request(tokens.access_token))).toMatchObject({ kind })
  })

  type Change = (claims: JWTPayload, tokens: TokenAnswer) => Promise<string> | string
  it.each<[string, Change]>([
    ['of another type', (claims) => signed(claims, { typ: 'JWT' })],
    ['without a type', (claims) => signed(claims, { typ: undefined })],
    ['of another issuer', (claims) => signed({ ...claims, iss: `${ISSUER}/` })],
    ['of no issuer', ({ iss: _, ...claims }) => signed(claims)],
    ['for another resource', (claims) => signed({ ...claims, aud: ISSUER })],
    ['for several resources', (claims) => signed({ ...claims, aud: [API, ISSUER] })],
    ['that never ends', ({ exp: _, ...claims }) => signed(claims)],
    ['of an unknown key', (claims) => signed(claims, { kid: 'other' })],
    ['of a key of another algorithm', (claims) => signed(claims, { kid: RSA_KEY?.kid })],
    ['without a jti', ({ jti: _, ...claims }) => signed({ ...claims, role: 'editor' })],
    ['that is the ID token', (_, { id_token }) => id_token],
    ['that is opaque', (_, { refresh_token }) => refresh_token],
    [
      'that is signed with the public key as a secret',
      (claims) =>
        new SignJWT(claims)
          .setProtectedHeader({ alg: 'HS256', kid: RSA_KEY?.kid, typ: 'at+jwt' })
          .sign(new TextEncoder().encode(JSON.stringify({ n: RSA_KEY?.n, e: RSA_KEY?.e }))),
    ],
  ])('refuses a token %s', async (_, change) => {
    const { api, tokens } = await openEdge()
    const changed = await change(decodeJwt(tokens.access_token), tokens)
    expect(await api.access(request(changed))).toMatchObject({ kind: 'refused', response: { status: 401 } })
  })

  it('fetches the keys once, however many unknown key ids are sent', async () => {
    const { api, service, tokens } = await openEdge()
    const { send } = service
    let fetched = 0
    service.send = (method, path, message) => {
      if (path.endsWith('/jwks')) fetched++
      return send(method, path, message)
    }
    for (let made = 0; made < 20; made++) {
      const unknown = await signed(decodeJwt(tokens.access_token), { kid: `made up ${made}` })
      expect(await api.access(request(unknown))).toMatchObject({ kind: 'refused', response: { status: 401 } })
    }
    expect(fetched).toBe(1)
  })

  it('lists the headers that scripts of other origins need for proofs', async () => {
    const { api } = await openEdge({
      proofs: dpopProofs({ secret: 'a secret of the tests, long enough to pass' }),
    })
    const headers = { allowed: ['dpop'], exposed: ['DPoP-Nonce'] }
    expect([api.corsHeaders, api.allowing({ clientCredentials: true }).corsHeaders]).toEqual([
      headers,
      headers,
    ])
  })

  it('does not send the client secret to a feed over plain http, but for loopback', () => {
    const reading = (address: string) => revokedTokens({ address, clientId: 'api', clientSecret: 'secret' })
    expect(() => reading('http://auth.example/ended')).toThrow('revokedTokens: address must be https')
    for (const address of ['https://auth.example/ended', 'http://127.0.0.1:3000/ended'])
      reading(address).close()
  })

  it.each(TEST_KEYS)('accepts $alg, and the long form of the type', async (key) => {
    const { api, tokens } = await openEdge()
    const spelled = await signed(decodeJwt(tokens.access_token), { typ: 'application/at+jwt' }, key)
    expect(await api.access(request(spelled))).toMatchObject({ kind: 'authorized' })
  })

  it('returns the clients that act for the user, and no scopes of a token without any', async () => {
    const { api, tokens } = await openEdge()
    const act = { sub: 'report', act: { sub: 'assistant' } }
    const exchanged = await signed({ ...decodeJwt(tokens.access_token), act, scope: '' })
    expect(await api.access(request(exchanged))).toMatchObject({ token: { act, scopes: [] } })
  })

  it.each([
    [{ resource: 'notes' }, 'resource must be an absolute URI'],
    [{ authenticationClasses: ['a', 'a'] }, 'authenticationClasses: "a" is there twice'],
    [{ keys: 'http://auth.example/jwks' }, 'keys: must be an https address, not http://auth.example/jwks'],
    [{ keys: 'jwks' }, 'keys: must be an https address, not jwks'],
  ])('is not created with %o', (bad, message) => {
    const options = { issuer: ISSUER, resource: API, scopes: SCOPES, keys: { keys: [] }, ...bad }
    expect(() => createJwtResourceServer(options)).toThrow(message)
  })

  it('rejects the tokens of a removed key once it fetches the keys again, after ten minutes', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: NOW * 1000 })
    onTestFinished(() => void vi.useRealTimers())
    const { service, client, api, clock, signing, tokens } = await openEdge()
    const kindOf = async (token: string) => (await api.access(request(token))).kind
    const forged = await signed({ ...decodeJwt(tokens.access_token), exp: NOW + 3600 })
    expect(await kindOf(forged)).toBe('authorized')
    const fresh = await signingKey('ES256', 'fresh')
    signing.keys = TEST_KEYS.map((key) => (key === EC_KEY ? fresh : key))
    const at = async (seconds: number, token: string) => {
      clock.now = NOW + seconds
      vi.setSystemTime(clock.now * 1000)
      return kindOf(token)
    }
    expect(await at(599, forged), 'until then').toBe('authorized')
    expect(await at(600, forged)).toBe('refused')
    const { access_token: next } = await tokensFor(service, client, { resource: API })
    expect(await at(600, next), 'of a key that is left').toBe('authorized')
  })

  it('returns 503 without a challenge if the keys are unavailable: the token may be valid', async () => {
    const onEvent = vi.fn()
    const { api, tokens } = await openEdge({ keys: 'http://127.0.0.1:9/jwks', onEvent })
    const access = await api.access(request(tokens.access_token))
    expect(access).toMatchObject({ kind: 'refused', response: { status: 503 } })
    expect(access.kind === 'refused' && access.response.headers).not.toHaveProperty('www-authenticate')
    expect(onEvent.mock.lastCall).toMatchObject([
      { reason: 'keys_unavailable', cause: { message: 'fetch failed' } },
    ])
  })
})

describe('the revocation feed', () => {
  type End = (
    service: Service,
    client: ClientAnswer,
    tokens: TokenAnswer,
    clock: { now: number },
  ) => Promise<unknown>

  it.each<[string, End]>([
    [
      'its client revokes it',
      (service, client, { access_token: token }) =>
        service.send('POST', '/api/oauth/revoke', { form: { ...credentials(client), token } }),
    ],
    [
      'its client revokes the grant',
      (service, client, { refresh_token: token }) =>
        service.send('POST', '/api/oauth/revoke', { form: { ...credentials(client), token } }),
    ],
    [
      'its user ends the grant',
      async (service) => {
        for (const { id } of (await service.server.grants.list('alice')).grants)
          await service.server.grants.revoke('alice', id)
      },
    ],
    ['its client is removed', (service, client) => service.server.clients.remove(client.clientId)],
    [
      'its refresh token is used again, a window after the next one',
      async (service, client, { refresh_token }, clock) => {
        await refresh(service, client, refresh_token)
        const next = bodyOf<TokenAnswer>(await refresh(service, client, refresh_token))
        await refresh(service, client, next.refresh_token)
        clock.now += 60
        await refresh(service, client, refresh_token)
      },
    ],
  ])('ends a token at every edge when %s', async (_, end) => {
    const { service, client, tokens, ended, kind, clock } = await openFeed()
    expect(await kind()).toBe('authorized')
    await end(service, client, tokens, clock)
    await ended.refresh()
    expect(await kind()).toBe(401)
  })

  it('has revocations by a server that signs no tokens and has no feed', async () => {
    const { service, tokens, ended, kind, now } = await openFeed()
    const { grants } = openService({ store: service.store, now }).server
    expect(await grants.revokeAll('alice')).toBe(1)
    await ended.refresh()
    expect(await kind(tokens.access_token)).toBe(401)
  })

  it('has a revocation by a server whose clock is ahead, for which the token has expired', async () => {
    const { service, tokens, ended, kind, now } = await openFeed()
    const ahead = openService({ store: service.store, now: () => now() + tokens.expires_in + 119 })
    expect(await ahead.server.grants.revokeAll('alice')).toBe(1)
    await ended.refresh()
    expect(await kind(tokens.access_token)).toBe(401)
  })

  it('makes a revocation that it cannot record a 503, and revokes the token on a retry', async () => {
    const { service, client, tokens, ended, kind } = await openFeed()
    const form = { ...credentials(client), token: tokens.refresh_token }
    const revoke = async () => (await service.send('POST', '/api/oauth/revoke', { form })).status
    const insert = vi
      .spyOn(service.store.transients as Transients, 'insert')
      .mockRejectedValue(new Error('full'))
    expect([await revoke(), await revoke()]).toEqual([503, 503])
    insert.mockRestore()
    expect(await revoke()).toBe(200)
    await ended.refresh()
    expect(await kind(tokens.access_token)).toBe(401)
    expect(service.events.filter(({ type }) => type === 'grant_revoked')).toHaveLength(1)
  })

  it('has no grants without JWTs', async () => {
    const { service, client } = await openFeed()
    const { clientId, ...other } = await register(service)
    const { access_token: token } = await tokensFor(service, { clientId: clientId, ...other })
    const insert = vi.spyOn(service.store.transients as Transients, 'insert')
    await service.send('POST', '/api/oauth/revoke', { form: { client_id: clientId, token } })
    expect(await service.server.grants.revokeAll('alice', { clientId })).toBe(1)
    expect(insert).not.toHaveBeenCalled()
    await service.server.grants.revokeAll('alice', { clientId: client.clientId })
    expect(insert).toHaveBeenCalled()
  })

  it('returns each revocation once to a guard that continues at its cursor', async () => {
    const { service, client, api: _, ended } = await openFeed()
    const answers: { ended: string[] }[] = []
    const { send } = service
    service.send = async (...message) => {
      const answer = await send(...message)
      if (message[1].endsWith('/ended')) answers.push(JSON.parse(String(answer.body)))
      return answer
    }
    for (const count of [1, 2, 0]) {
      for (let grant = 0; grant < count; grant++) await tokensFor(service, client, { resource: API })
      if (count > 0) await service.server.grants.revokeAll('alice')
      await ended.refresh()
    }
    expect(answers.map((answer) => answer.ended.length)).toEqual([2, 2, 0])
  })

  it('is never polled twice at once, and is polled again for waiting requests', async () => {
    const { service, ended, kind } = await openFeed()
    const { send } = service
    const asking = { now: 0, most: 0, all: 0 }
    service.send = async (...message) => {
      if (!message[1].endsWith('/ended')) return send(...message)
      asking.all++
      asking.most = Math.max(asking.most, ++asking.now)
      const answer = await send(...message)
      await new Promise((answered) => setImmediate(answered))
      asking.now--
      return answer
    }
    const first = ended.refresh()
    await service.server.grants.revokeAll('alice')
    await Promise.all([first, ended.refresh(), ended.refresh()])
    expect([asking.most, asking.all, await kind()]).toEqual([1, 3, 401])
  })

  it('does not affect other tokens of the grant when one is revoked', async () => {
    const { service, client, tokens, ended, kind } = await openFeed()
    const next = bodyOf<TokenAnswer>(await refresh(service, client, tokens.refresh_token))
    const form = { ...credentials(client), token: tokens.access_token }
    await service.send('POST', '/api/oauth/revoke', { form })
    await ended.refresh()
    expect([await kind(), await kind(next.access_token)]).toEqual([401, 'authorized'])
  })

  it('drops revocations of tokens that have expired', async () => {
    const { service, client, tokens, ended, clock } = await openFeed(1000)
    const { jti = '' } = decodeJwt(tokens.access_token)
    const form = { ...credentials(client), token: tokens.access_token }
    await service.send('POST', '/api/oauth/revoke', { form })
    await ended.refresh()
    for (const [seconds, isKept] of [
      [840, true],
      [1, false],
    ] as const) {
      expect(ended.has(jti)).toBe(true)
      clock.now += seconds
      await ended.refresh()
      expect(ended.has(jti)).toBe(isKept)
    }
  })

  it('that could not be polled for too long is a 503 for every token', async () => {
    const { clock, kind } = await openFeed()
    clock.now += 30
    expect(await kind()).toBe('authorized')
    clock.now += 1
    expect(await kind()).toBe(503)
  })

  it('is read by the guard itself where no timer runs', async () => {
    vi.stubGlobal('setInterval', () => 1)
    onTestFinished(() => void vi.unstubAllGlobals())
    const { service, clock, kind } = await openFeed(30, 5)
    expect(await kind()).toBe('authorized')
    await service.server.grants.revokeAll('alice')
    clock.now += 6
    expect(await kind()).toBe(401)
  })

  it('is read for no one whose token is not valid', async () => {
    const { service, clock, kind, ended } = await openFeed(30, 5)
    const { send } = service
    const paths: string[] = []
    service.send = (method, path, message) => {
      paths.push(path)
      return send(method, path, message)
    }
    clock.now += 6
    expect(await kind('eyJx.y.z')).toBe(401)
    await ended.refresh()
    expect(paths.filter((path) => path.endsWith('/ended'))).toHaveLength(1)
  })

  it('is for resource servers only', async () => {
    const { service, client: isPublic } = await openFeed()
    const client = await register(service, { token_endpoint_auth_method: 'client_secret_post' })
    for (const [reason, form] of [
      ['feed_not_for_client', credentials(client)],
      ['client_not_confidential', { client_id: isPublic.clientId }],
    ] as const) {
      const requested = await service.send('POST', '/api/oauth/ended', { form })
      expect([requested.status, bodyOf(requested).error]).toEqual([401, 'invalid_client'])
      expect(service.events.at(-1)).toMatchObject({ type: 'refused', reason })
    }
  })

  it('has every one of many concurrent revocations', async () => {
    const { service, client, ended } = await openFeed()
    const tokens: TokenAnswer[] = []
    for (let count = 0; count < 100; count++) tokens.push(await tokensFor(service, client, { resource: API }))
    const answers = await Promise.all(
      tokens.map(({ refresh_token: token }) =>
        service.send('POST', '/api/oauth/revoke', { form: { ...credentials(client), token } }),
      ),
    )
    expect(answers.filter(({ status }) => status !== 200)).toEqual([])
    await ended.refresh()
    expect(tokens.filter(({ access_token }) => !ended.has(String(decodeJwt(access_token).jti)))).toEqual([])
  })

  it('needs a store that keeps transients, and a path', () => {
    const { clients, grants } = createMemoryStore()
    expect(() => openService({ store: { clients, grants }, features: [revocationFeed()] })).toThrow(
      'the store has no transients',
    )
    expect(() => openService({ features: [revocationFeed({ path: 'ended' })] })).toThrow('paths.ended must')
  })
})
