import { createHash } from 'node:crypto'
import { createLocalJWKSet, decodeJwt, jwtVerify } from 'jose'
import { describe, expect, it } from 'vitest'
import {
  bodyOf,
  type ClientAnswer,
  codeFor,
  credentials,
  redeem,
  refresh,
  register,
  requestToken,
  type TokenAnswer,
  tokensFor,
} from './client.ts'
import { CHALLENGE, ISSUER, openService, REDIRECT_URI, type Service, VERIFIER } from './service.ts'

async function withClient(metadata: object = {}): Promise<{ service: Service; client: ClientAnswer }> {
  const service = openService()
  return { service, client: await register(service, metadata) }
}

const CONFIDENTIAL = { token_endpoint_auth_method: 'client_secret_post' }

async function isLive(service: Service, accessToken: string): Promise<boolean> {
  return (await service.callApi(accessToken, 'courses:read')).kind === 'authorized'
}

describe('the token endpoint', () => {
  it('REQ-33: the response has the members of RFC 6749 5.1, and is not cached', async () => {
    const { service, client } = await withClient()
    const response = await redeem(
      service,
      client,
      await codeFor(service, client.clientId, { scope: 'courses:read' }),
    )
    expect(response.headers).toMatchObject({
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      pragma: 'no-cache',
    })
    expect(bodyOf(response)).toEqual({
      access_token: expect.stringMatching(/^gka_[\w-]{22}\.[\w-]{43}$/),
      token_type: 'Bearer',
      expires_in: 3600,
      scope: 'courses:read',
      refresh_token: expect.stringMatching(/^gkr_/),
    })
  })

  it.each([
    ['the one requested resource', { resource: `${ISSUER}/mcp` }, `${ISSUER}/mcp`],
    ['all resources, if none was requested', {}, [ISSUER, `${ISSUER}/mcp`]],
  ])('names %s, with resourceInTokenResponse', async (_name, requested, resource) => {
    const service = openService({ resourceInTokenResponse: true })
    const client = await register(service)
    const tokens = await tokensFor(service, client, requested)
    expect(tokens).toMatchObject({ resource })
    const refreshed = bodyOf<TokenAnswer>(await refresh(service, client, tokens.refresh_token))
    expect(refreshed).toMatchObject({ resource })
  })

  it('names the resource that a refresh narrows to', async () => {
    const service = openService({ resourceInTokenResponse: true })
    const client = await register(service)
    const { refresh_token } = await tokensFor(service, client)
    const narrowed = await refresh(service, client, refresh_token, { resource: ISSUER })
    expect(bodyOf(narrowed)).toMatchObject({ resource: ISSUER })
    const retried = await refresh(service, client, refresh_token, { resource: ISSUER })
    expect(bodyOf(retried), 'after a lost answer').toMatchObject({ resource: ISSUER })
  })

  it.each(['GET', 'HEAD', 'PUT', 'DELETE', 'TRACE'])(
    'answers %s with 405 and says what it allows',
    async (method) => {
      const response = await openService().send(method, '/api/oauth/token')
      expect([response.status, response.headers.allow]).toEqual([405, 'POST, OPTIONS'])
    },
  )

  it.each([
    ['JSON', { json: { grant_type: 'authorization_code' } }],
    ['no media type', { form: 'grant_type=x', headers: { 'content-type': undefined } }],
    ['text', { form: 'grant_type=x', headers: { 'content-type': 'text/plain' } }],
    [
      'two media types',
      { form: 'a=b', headers: { 'content-type': 'application/json, application/x-www-form-urlencoded' } },
    ],
    [
      'another charset',
      { form: 'a=b', headers: { 'content-type': 'application/x-www-form-urlencoded; charset=utf-16' } },
    ],
  ])('refuses a body that is %s', async (_, message) => {
    const response = await openService().send('POST', '/api/oauth/token', message)
    expect([response.status, bodyOf(response).error]).toEqual([415, 'invalid_request'])
  })

  it('accepts a charset of UTF-8', async () => {
    const { service, client } = await withClient()
    const form = { grant_type: 'nonsense', ...credentials(client) }
    const headers = { 'content-type': 'Application/X-WWW-Form-Urlencoded;charset="UTF-8"' }
    expect(bodyOf(await service.send('POST', '/api/oauth/token', { form, headers })).error).toBe(
      'unsupported_grant_type',
    )
  })

  it('REQ-31: the query of a token request is not read', async () => {
    const { service, client } = await withClient()
    const query = { grant_type: 'authorization_code', ...credentials(client) }
    const response = await service.send('POST', '/api/oauth/token', { query, form: 'a=b' })
    expect(bodyOf(response)).toEqual({ error: 'invalid_request', error_description: 'grant_type is missing' })
  })

  it.each(['grant_type', 'client_id', 'code', 'redirect_uri', 'code_verifier'])(
    'HT-03, REQ-32: a parameter that is sent twice is refused, and consumes nothing: %s',
    async (name) => {
      const { service, client } = await withClient()
      const code = await codeFor(service, client.clientId)
      const form = {
        grant_type: 'authorization_code',
        ...credentials(client),
        code,
        redirect_uri: REDIRECT_URI,
        code_verifier: VERIFIER,
      }
      const twice = [...Object.entries(form), ...Object.entries(form).filter(([key]) => key === name)]
      expect(bodyOf(await requestToken(service, twice))).toEqual({
        error: 'invalid_request',
        error_description: `${name} must not be repeated`,
      })
      expect((await redeem(service, client, code)).status, 'the code is still good').toBe(200)
    },
  )

  it('allows every origin without credentials (CORS)', async () => {
    const service = openService()
    const preflight = await service.send('OPTIONS', '/api/oauth/token', {
      headers: { origin: 'https://app.example' },
    })
    expect(preflight.status).toBe(204)
    expect(preflight.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'POST',
    })
    expect(preflight.headers).not.toHaveProperty('access-control-allow-credentials')
  })

  it('rejects a body over 64 KiB', async () => {
    const response = await openService().send('POST', '/api/oauth/token', {
      form: `a=${'x'.repeat(65 * 1024)}`,
    })
    expect([response.status, bodyOf(response).error]).toEqual([413, 'invalid_request'])
  })
})

describe('redeeming a code', () => {
  it.each([
    ['another redirect_uri', { redirect_uri: 'http://127.0.0.1:7001/other' }, 'invalid_grant'],
    ['a redirect_uri with a slash more', { redirect_uri: `${REDIRECT_URI}/` }, 'invalid_grant'],
    ['a redirect_uri with another port', { redirect_uri: 'http://127.0.0.1:7002/callback' }, 'invalid_grant'],
    ['a resource of another server', { resource: 'https://other.example' }, 'invalid_target'],
    ['an empty verifier', { code_verifier: '' }, 'invalid_grant'],
    ['no verifier', { code_verifier: undefined }, 'invalid_grant'],
    ['a verifier that is too short', { code_verifier: 'v'.repeat(42) }, 'invalid_request'],
    ['a verifier that is too long', { code_verifier: 'v'.repeat(129) }, 'invalid_request'],
    ['a verifier that is endless', { code_verifier: 'v'.repeat(60_000) }, 'invalid_request'],
    ['a verifier with padding', { code_verifier: `${VERIFIER.slice(1)}=` }, 'invalid_request'],
    ['a verifier with a control character', { code_verifier: `${VERIFIER.slice(1)}\0` }, 'invalid_request'],
    ['a verifier that is not ASCII', { code_verifier: 'é'.repeat(43) }, 'invalid_request'],
    ['another code', { code: `gkc_${'x'.repeat(22)}.${'y'.repeat(43)}` }, 'invalid_grant'],
    ['nonsense', { code: 'nonsense' }, 'invalid_grant'],
  ])(
    'CR-02, CR-04, CR-10, D5, REQ-13, REQ-37: a slip in a redemption is refused, and leaves the code good: %s',
    async (_, overrides, error) => {
      const { service, client } = await withClient()
      const code = await codeFor(service, client.clientId)
      expect(bodyOf(await redeem(service, client, code, overrides)).error).toBe(error)
      expect((await redeem(service, client, code)).status).toBe(200)
    },
  )

  it('RA-03, REQ-12, REQ-13: a native app may use another port, and must repeat it at the token endpoint', async () => {
    const { service, client } = await withClient()
    const redirect_uri = 'http://127.0.0.1:65000/callback'
    const code = await codeFor(service, client.clientId, { redirect_uri })
    expect(bodyOf(await redeem(service, client, code)).error).toBe('invalid_grant')
    expect((await redeem(service, client, code, { redirect_uri })).status).toBe(200)
  })

  it('RS-04, REQ-42: a resource that was not authorized is refused, and leaves the code good', async () => {
    const { service, client } = await withClient()
    const code = await codeFor(service, client.clientId, { resource: ISSUER })
    const elsewhere = { resource: `${ISSUER}/mcp` }
    expect(bodyOf(await redeem(service, client, code, elsewhere)).error).toBe('invalid_target')
    const withSlash = { resource: `${ISSUER}/` }
    expect((await redeem(service, client, code, withSlash)).status, 'an origin with its slash').toBe(200)
  })

  it.each([undefined, ''])(
    'takes the only redirect URI of a client for granted, as OAuth 2.1 does: %j',
    async (redirect_uri) => {
      const { service, client } = await withClient()
      const code = await codeFor(service, client.clientId)
      expect((await redeem(service, client, code, { redirect_uri })).status).toBe(200)
    },
  )

  it.each<[string, object, Record<string, string | undefined>]>([
    ['after another port', {}, { redirect_uri: 'http://127.0.0.1:7002/callback' }],
    ['of a client with two', { redirectUris: [REDIRECT_URI, `${REDIRECT_URI}/2`] }, {}],
    [
      'sent no challenge',
      { pkceOptional: true },
      { code_challenge: undefined, code_challenge_method: undefined, nonce: 'n' },
    ],
  ])('CR-10: a code stays good when the redirect URI is missing: %s', async (_, metadata, requested) => {
    const service = openService()
    const named = { clientName: 'Calendar', redirectUris: [REDIRECT_URI], ...metadata }
    const client = await service.server.clients.add(named)
    const code = await codeFor(service, client.clientId, requested)
    const sent = 'code_challenge' in requested ? { code_verifier: undefined } : {}
    const answer = await redeem(service, client, code, { ...sent, redirect_uri: undefined })
    expect([answer.status, bodyOf(answer)]).toMatchObject([400, { error: 'invalid_grant' }])
    expect(bodyOf(answer).error_description).toMatch(/^redirect_uri is missing/)
    const { redirect_uri = REDIRECT_URI } = requested
    expect((await redeem(service, client, code, { ...sent, redirect_uri })).status).toBe(200)
  })

  it('CR-02: a confidential client needs its verifier as well', async () => {
    const { service, client } = await withClient(CONFIDENTIAL)
    for (const code_verifier of [undefined, '']) {
      const answer = await redeem(service, client, await codeFor(service, client.clientId), { code_verifier })
      expect([answer.status, bodyOf(answer).error]).toEqual([400, 'invalid_grant'])
    }
  })

  it('CR-01, CR-04, D5, REQ-37: a wrong verifier, or the challenge itself, consumes the code, so the correct one then fails', async () => {
    const { service, client } = await withClient()
    for (const code_verifier of ['v'.repeat(43), CHALLENGE]) {
      const code = await codeFor(service, client.clientId)
      expect(bodyOf(await redeem(service, client, code, { code_verifier })).error).toBe('invalid_grant')
      expect(bodyOf(await redeem(service, client, code)).error).toBe('invalid_grant')
    }
    expect(service.events).toContainEqual(
      expect.objectContaining({ type: 'grant_ended', reason: 'code_verifier_mismatch' }),
    )
  })

  it('REQ-28: a code with one changed character is unknown, and revokes nothing', async () => {
    const { service, client } = await withClient()
    const code = await codeFor(service, client.clientId)
    const flipped = [5, 20, code.length - 3].map(
      (at) => code.slice(0, at) + (code[at] === 'A' ? 'B' : 'A') + code.slice(at + 1),
    )
    const anotherSecret = `${code.slice(0, code.indexOf('.'))}.${'x'.repeat(43)}`
    const guesses = [...flipped, anotherSecret, code.slice(0, -1), `${code}A`, code.toUpperCase(), 'gkc_.']
    for (const guess of guesses) {
      const answer = await redeem(service, client, guess)
      expect([answer.status, bodyOf(answer).error], guess).toEqual([400, 'invalid_grant'])
    }
    expect(bodyOf(await redeem(service, client, '')).error).toBe('invalid_request')
    expect((await redeem(service, client, code)).status).toBe(200)
  })

  it('REQ-28: a code is long, random and valid for exactly a minute', async () => {
    const { service, client } = await withClient()
    const code = await codeFor(service, client.clientId)
    expect(code).toMatch(/^gkc_[\w-]{22}\.[\w-]{43}$/)
    expect((await codeFor(service, client.clientId)).split('.')[1]).not.toBe(code.split('.')[1])
    const used = await codeFor(service, client.clientId)
    service.clock.now += 59
    expect((await redeem(service, client, used)).status).toBe(200)
    service.clock.now -= 59
    service.clock.now += 60
    expect(bodyOf(await redeem(service, client, code)).error).toBe('invalid_grant')
  })

  it.each([{}, CONFIDENTIAL])(
    'CR-08, D5, REQ-40: a code in the hands of another client is worth nothing, spent or not, and its owner notices nothing: %j',
    async (metadata) => {
      const { service, client } = await withClient(metadata)
      const thief = await register(service, metadata)
      const code = await codeFor(service, client.clientId)
      expect(bodyOf(await redeem(service, thief, code)).error).toBe('invalid_grant')
      const { access_token } = bodyOf<TokenAnswer>(await redeem(service, client, code))
      expect(bodyOf(await redeem(service, thief, code)).error).toBe('invalid_grant')
      expect(bodyOf(await redeem(service, { clientId: 'unknown' }, code)).error).toBe('invalid_client')
      expect(await isLive(service, access_token), 'after a replay by the thief').toBe(true)
    },
  )

  it('REQ-41: a code is recognised as used as long as its tokens are valid', async () => {
    const { service, client } = await withClient()
    const code = await codeFor(service, client.clientId)
    const { refresh_token } = bodyOf<TokenAnswer>(await redeem(service, client, code))
    service.clock.now += 29 * 24 * 3600
    expect(bodyOf(await redeem(service, client, code)).error).toBe('invalid_grant')
    expect(bodyOf(await refresh(service, client, refresh_token)).error).toBe('invalid_grant')
  })

  it('CR-05, REQ-40: a code that is redeemed twice revokes all tokens of the first redemption', async () => {
    const { service, client } = await withClient()
    const code = await codeFor(service, client.clientId)
    const tokens = bodyOf<TokenAnswer>(await redeem(service, client, code))
    expect(bodyOf(await redeem(service, client, code)).error).toBe('invalid_grant')
    expect(await isLive(service, tokens.access_token)).toBe(false)
    expect(bodyOf(await refresh(service, client, tokens.refresh_token)).error).toBe('invalid_grant')
  })

  it('CR-06, REQ-39: one of fifty concurrent redemptions succeeds, and then the grant is revoked', async () => {
    const { service, client } = await withClient()
    for (let round = 0; round < 20; round++) {
      const code = await codeFor(service, client.clientId)
      const answers = await Promise.all(Array.from({ length: 50 }, () => redeem(service, client, code)))
      const winners = answers.filter(({ status }) => status === 200)
      expect(winners).toHaveLength(1)
      for (const winner of winners)
        expect(await isLive(service, bodyOf<TokenAnswer>(winner).access_token)).toBe(false)
    }
  })

  it('REQ-52: a credential is long, and stored only as a hash', async () => {
    const { service, client } = await withClient(CONFIDENTIAL)
    const code = await codeFor(service, client.clientId)
    const tokens = bodyOf<TokenAnswer>(await redeem(service, client, code))
    const rotated = bodyOf<TokenAnswer>(await refresh(service, client, tokens.refresh_token))
    const stored = JSON.stringify([
      (await service.store.grants.list({ subject: 'alice' }, { limit: 200 })).grants,
      await service.store.clients.find(client.clientId),
    ])
    const secrets = [
      code,
      tokens.access_token,
      tokens.refresh_token,
      rotated.access_token,
      rotated.refresh_token,
    ]
    expect(new Set(secrets).size).toBe(secrets.length)
    for (const secret of secrets) {
      expect(secret).toMatch(/\.[\w-]{43}$/)
      expect(stored).not.toContain(secret.split('.').at(-1))
    }
    expect(stored).not.toContain(client.clientSecret)
  })
})

describe('refreshing', () => {
  async function withTokens(overrides = {}, metadata = {}) {
    const { service, client } = await withClient(metadata)
    return { service, client, tokens: await tokensFor(service, client, overrides) }
  }

  it('RF-01, REQ-43: every refresh issues a new pair', async () => {
    const { service, client, tokens } = await withTokens()
    const next = bodyOf<TokenAnswer>(await refresh(service, client, tokens.refresh_token))
    expect(next.access_token).not.toBe(tokens.access_token)
    expect(next.refresh_token).not.toBe(tokens.refresh_token)
    expect(next.scope).toBe(tokens.scope)
    expect(await isLive(service, next.access_token)).toBe(true)
  })

  it('REQ-44: a retry inside the window gets the same pair again', async () => {
    const { service, client, tokens } = await withTokens()
    const first = bodyOf<TokenAnswer>(await refresh(service, client, tokens.refresh_token))
    service.clock.now += 59
    const again = bodyOf<TokenAnswer>(await refresh(service, client, tokens.refresh_token))
    expect([again.access_token, again.refresh_token]).toEqual([first.access_token, first.refresh_token])
    expect(again.expires_in).toBe(3600 - 59)
    expect(await isLive(service, again.access_token)).toBe(true)
  })

  it('emits an event for a repeated response', async () => {
    const { service, client, tokens } = await withTokens()
    await refresh(service, client, tokens.refresh_token)
    await refresh(service, client, tokens.refresh_token)
    const seen = service.events.map(({ type }) => type).filter((type) => type.startsWith('refresh_token_'))
    expect(seen).toEqual(['refresh_token_rotated', 'refresh_token_retried'])
  })

  it('treats a token of another family as unknown, and revokes nothing', async () => {
    const { service, client, tokens } = await withTokens()
    const [grant, family = ''] = tokens.refresh_token.split('.')
    const forged = tokens.refresh_token.replace(`${grant}.${family}`, `${grant}.${'x'.repeat(22)}`)
    const answer = await refresh(service, client, forged)
    expect([answer.status, bodyOf(answer).error]).toEqual([400, 'invalid_grant'])
    expect((await refresh(service, client, tokens.refresh_token)).status).toBe(200)
  })

  it('RF-03, REQ-44: fifty concurrent refreshes all get the same successor, so there are never two', async () => {
    const { service, client, tokens } = await withTokens({ scope: 'courses:read' })
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => refresh(service, client, tokens.refresh_token)),
    )
    expect(new Set(answers.map(({ status, body }) => `${status} ${body}`)).size).toBe(1)
    expect(answers[0]?.status).toBe(200)
  })

  it('RF-02, REQ-43, REQ-44: an old token after the retry window, once its successor was used, revokes the whole family', async () => {
    const { service, client, tokens } = await withTokens()
    const next = bodyOf<TokenAnswer>(await refresh(service, client, tokens.refresh_token))
    await refresh(service, client, next.refresh_token)
    service.clock.now += 60
    expect(bodyOf(await refresh(service, client, tokens.refresh_token)).error).toBe('invalid_grant')
    expect(await isLive(service, next.access_token)).toBe(false)
    expect(bodyOf(await refresh(service, client, next.refresh_token)).error).toBe('invalid_grant')
    expect(service.events).toContainEqual(
      expect.objectContaining({ type: 'grant_ended', reason: 'refresh_token_reused', subject: 'alice' }),
    )
  })

  it('RF-02: inside the window a process that is behind by many rotations is rejected, and revokes nothing', async () => {
    const { service, client, tokens } = await withTokens()
    let newest = tokens
    for (let rotation = 0; rotation < 12; rotation++) {
      newest = bodyOf<TokenAnswer>(await refresh(service, client, newest.refresh_token))
      service.clock.now += 4
    }
    expect(bodyOf(await refresh(service, client, tokens.refresh_token)).error).toBe('invalid_grant')
    expect(service.events.at(-1)).toMatchObject({ type: 'refused', reason: 'refresh_token_replaced' })
    expect((await refresh(service, client, newest.refresh_token)).status).toBe(200)
  })

  it('revokes the oldest access token beyond the limit of a grant, with an event', async () => {
    const service = openService({ maxAccessTokens: 2 })
    const client = await register(service)
    const first = await tokensFor(service, client)
    const second = bodyOf<TokenAnswer>(await refresh(service, client, first.refresh_token))
    expect(await isLive(service, first.access_token)).toBe(true)
    await refresh(service, client, second.refresh_token)
    expect(await isLive(service, first.access_token)).toBe(false)
    expect(await isLive(service, second.access_token)).toBe(true)
    expect(service.events.filter(({ type }) => type === 'access_token_dropped')).toHaveLength(1)
  })

  it('REQ-44: without a retry window a repeated refresh is a reuse', async () => {
    const service = openService({ lifetimes: { refreshRetryWindow: 0 } })
    const client = await register(service)
    const tokens = await tokensFor(service, client)
    const answers = await Promise.all([1, 2, 3].map(() => refresh(service, client, tokens.refresh_token)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(await isLive(service, tokens.access_token), 'the family is gone').toBe(false)
  })

  it('revokes nothing for a token of this family that the store has lost, as after a lost replica', async () => {
    const { service, client, tokens } = await withTokens()
    const [head, family] = tokens.refresh_token.split('.')
    for (const generation of [0, 1, 7]) {
      const lost = `${head}.${family}.${generation}.${'x'.repeat(43)}`
      expect(bodyOf(await refresh(service, client, lost)).error).toBe('invalid_grant')
    }
    expect((await refresh(service, client, tokens.refresh_token)).status).toBe(200)
  })

  it.each([
    ['a wider scope', { scope: 'openid students:read' }, 'invalid_scope'],
    ['an unknown scope', { scope: 'nope' }, 'invalid_scope'],
    ['a scope of two spaces', { scope: 'openid  profile' }, 'invalid_scope'],
    ['a scope that is none', { scope: '"' }, 'invalid_scope'],
    ['a foreign resource', { resource: 'https://other.example' }, 'invalid_target'],
    ['a resource beyond the grant', { resource: ISSUER }, 'invalid_target'],
    ['a resource with a fragment', { resource: `${ISSUER}/mcp#f` }, 'invalid_target'],
    ['a resource that is no URI', { resource: 'x' }, 'invalid_target'],
  ])(
    'RF-07, RF-10, REQ-42, REQ-46: what was not granted is refused, and costs nothing: %s',
    async (_, overrides, error) => {
      const { service, client, tokens } = await withTokens({ resource: `${ISSUER}/mcp` })
      expect(bodyOf(await refresh(service, client, tokens.refresh_token, overrides)).error).toBe(error)
      const next = bodyOf<TokenAnswer>(await refresh(service, client, tokens.refresh_token))
      expect(next.refresh_token.split('.')[2], 'still the first rotation').toBe('1')
    },
  )

  it('RF-08, REQ-46: a refresh may request a part of the scope, and all of it again later', async () => {
    const { service, client, tokens } = await withTokens()
    const narrow = bodyOf<TokenAnswer>(
      await refresh(service, client, tokens.refresh_token, { scope: 'profile' }),
    )
    expect(narrow.scope).toBe('profile')
    expect((await service.callApi(narrow.access_token, 'courses:read')).kind).toBe('refused')
    const full = bodyOf<TokenAnswer>(await refresh(service, client, narrow.refresh_token))
    expect(full.scope).toBe('openid profile courses:read')
    const other = { scope: 'courses:read profile openid' }
    const reordered = bodyOf<TokenAnswer>(await refresh(service, client, full.refresh_token, other))
    expect(reordered.scope.split(' ').sort()).toEqual(['courses:read', 'openid', 'profile'])
  })

  it.each([
    ['the resource of its grant', `${ISSUER}/mcp`, 'invalid_grant'],
    ['no resource', undefined, 'invalid_grant'],
    ['a resource that was never granted', 'https://other.example', 'invalid_target'],
  ])(
    'REQ-35: refuses a refresh for %s once that is hosted no more, and costs no token',
    async (_, resource, error) => {
      const { service, client, tokens } = await withTokens({ resource: `${ISSUER}/mcp` })
      const smaller = openService({ store: service.store, resources: [ISSUER] })
      const requested = resource === undefined ? {} : { resource }
      const answer = await refresh(smaller, client, tokens.refresh_token, requested)
      expect([answer.status, bodyOf(answer).error]).toEqual([400, error])
      expect((await refresh(service, client, tokens.refresh_token)).status).toBe(200)
    },
  )

  it('REQ-44: a retry for another scope or resource is rejected, and not treated as theft', async () => {
    const { service, client, tokens } = await withTokens()
    await refresh(service, client, tokens.refresh_token)
    for (const other of [{ scope: 'profile' }, { resource: ISSUER }])
      expect(bodyOf(await refresh(service, client, tokens.refresh_token, other)).error).toBe('invalid_grant')
    expect(await isLive(service, tokens.access_token)).toBe(true)
  })

  it.each([{}, CONFIDENTIAL])(
    'RF-06, REQ-45: a token in the hands of another client is worth nothing, and its owner notices nothing: %j',
    async (metadata) => {
      const { service, client, tokens } = await withTokens({}, metadata)
      const thief = await register(service, metadata)
      expect(bodyOf(await refresh(service, thief, tokens.refresh_token)).error).toBe('invalid_grant')
      const unknownClient = { clientId: 'unknown' }
      expect(bodyOf(await refresh(service, unknownClient, tokens.refresh_token)).error).toBe('invalid_client')
      expect(await isLive(service, tokens.access_token)).toBe(true)
      expect((await refresh(service, client, tokens.refresh_token)).status).toBe(200)
    },
  )

  it('RF-11: no other credential is accepted as a refresh token, nor a refresh token as an access token', async () => {
    const { service, client, tokens } = await withTokens()
    const [grant] = tokens.refresh_token.split('.')
    const [, ...ofAnother] = (await tokensFor(service, client)).refresh_token.split('.')
    const mixed = [grant, ...ofAnother].join('.')
    const code = await codeFor(service, client.clientId)
    const kinds = [tokens.access_token, tokens.id_token, code, mixed, `gkr_${'x'.repeat(22)}`, 'gkr_']
    for (const other of kinds)
      expect(bodyOf(await refresh(service, client, other)).error, other).toBe('invalid_grant')
    const flipped = tokens.refresh_token.replace(/.(?=..$)/, (character) => (character === 'A' ? 'B' : 'A'))
    for (const token of [tokens.refresh_token, tokens.id_token, flipped])
      expect((await service.callApi(token)).kind).toBe('refused')
    expect((await refresh(service, client, tokens.refresh_token)).status).toBe(200)
  })

  const DAY = 24 * 3600

  it('REQ-48: expires after its idle lifetime', async () => {
    const { service, client, tokens } = await withTokens()
    service.clock.now += 30 * DAY
    expect(bodyOf(await refresh(service, client, tokens.refresh_token)).error).toBe('invalid_grant')
  })

  it('REQ-48: expires with the grant, even if the client is active', async () => {
    const service = openService()
    const client = await service.server.clients.add({ clientName: 'Calendar', redirectUris: [REDIRECT_URI] })
    let { refresh_token } = await tokensFor(service, client)
    for (let day = 29; day < 180; day += 29) {
      service.clock.now += 29 * DAY
      refresh_token = bodyOf<TokenAnswer>(await refresh(service, client, refresh_token)).refresh_token
    }
    service.clock.now += 6 * DAY
    expect(bodyOf(await refresh(service, client, refresh_token)).error).toBe('invalid_grant')
  })
})

describe('the ID token', () => {
  async function verified(service: Service, idToken: string) {
    const jwks = bodyOf<Parameters<typeof createLocalJWKSet>[0]>(await service.send('GET', '/api/oauth/jwks'))
    return jwtVerify(idToken, createLocalJWKSet(jwks), { currentDate: new Date(service.clock.now * 1000) })
  }

  it.each(['RS256', 'ES256', 'EdDSA'])(
    'D14: an ID token is signed with the algorithm that its client registered: %s',
    async (alg) => {
      const { service, client } = await withClient({ id_token_signed_response_alg: alg })
      const { id_token } = await tokensFor(service, client)
      expect((await verified(service, id_token)).protectedHeader).toEqual({
        alg,
        kid: `test-${alg}`,
        typ: 'JWT',
      })
    },
  )

  it.each([
    ['RS256', 'sha256'],
    ['ES256', 'sha256'],
    ['EdDSA', 'sha512'],
  ])('that is signed with %s has the left half of the %s of the access token', async (alg, name) => {
    const { service, client } = await withClient({ id_token_signed_response_alg: alg })
    const { id_token, access_token } = await tokensFor(service, client)
    const digest = createHash(name).update(access_token).digest()
    const half = digest.subarray(0, digest.length / 2)
    expect(decodeJwt(id_token).at_hash).toBe(half.toString('base64url'))
  })

  it('REQ-50: an ID token names the user, the sign-in time and the client', async () => {
    const { service, client } = await withClient()
    const { id_token } = await tokensFor(service, client, { nonce: 'n-0S6' })
    const { payload } = await verified(service, id_token)
    expect(payload).toEqual({
      iss: ISSUER,
      sub: 'alice',
      aud: client.clientId,
      azp: client.clientId,
      iat: service.clock.now,
      exp: service.clock.now + 3600,
      auth_time: service.clock.now,
      nonce: 'n-0S6',
      at_hash: expect.any(String),
    })
  })

  it('REQ-47: a new ID token has the same sign-in time, without the nonce of the first', async () => {
    const { service, client } = await withClient()
    const first = await tokensFor(service, client, { nonce: 'n' })
    service.clock.now += 100
    const next = bodyOf<TokenAnswer>(await refresh(service, client, first.refresh_token))
    const [before, after] = [decodeJwt(first.id_token), decodeJwt(next.id_token)]
    expect(after).toMatchObject({
      iss: before.iss,
      sub: 'alice',
      aud: client.clientId,
      azp: client.clientId,
      auth_time: before.auth_time,
      iat: (before.iat ?? 0) + 100,
    })
    expect(after).not.toHaveProperty('nonce')
  })

  it('REQ-33: an ID token comes only with openid', async () => {
    const { service, client } = await withClient()
    expect(await tokensFor(service, client, { scope: 'courses:read' })).not.toHaveProperty('id_token')
  })
})

describe('a refresh without client_id and credentials', () => {
  async function withTokens() {
    const { service, client } = await withClient()
    return { service, client, tokens: await tokensFor(service, client) }
  }
  const UNAUTHENTICATED = { client_id: undefined, client_secret: undefined }

  it('uses the public client that the token belongs to', async () => {
    const { service, client, tokens } = await withTokens()
    const answer = await refresh(service, client, tokens.refresh_token, UNAUTHENTICATED)
    expect(answer.status).toBe(200)
    const next = bodyOf<TokenAnswer>(answer).refresh_token
    expect((await refresh(service, client, next)).status).toBe(200)
  })

  it('RF-13: is rejected if the client has a secret, and consumes nothing', async () => {
    const service = openService()
    const client = await register(service, CONFIDENTIAL)
    const { refresh_token } = await tokensFor(service, client)
    const answer = await refresh(service, client, refresh_token, UNAUTHENTICATED)
    expect([answer.status, bodyOf(answer).error]).toEqual([401, 'invalid_client'])
    expect((await refresh(service, client, refresh_token)).status).toBe(200)
  })

  it('RF-14: treats an unknown, forged or reused token like a request with client_id', async () => {
    const { service, client, tokens } = await withTokens()
    const forged = tokens.refresh_token.replace(/.{43}$/, 'x'.repeat(43))
    const unknown = `gkr_${'x'.repeat(22)}.${'x'.repeat(22)}.0.${'x'.repeat(43)}`
    for (const token of [forged, unknown, 'x', tokens.access_token]) {
      const answer = await refresh(service, client, token, UNAUTHENTICATED)
      expect([answer.status, bodyOf(answer).error], token).toEqual([400, 'invalid_grant'])
    }
    await refresh(service, client, tokens.refresh_token)
    service.clock.now += 900
    const reused = await refresh(service, client, tokens.refresh_token, UNAUTHENTICATED)
    expect(bodyOf(reused).error_description).toContain('was used before')
    // The grant has ended by it, and has no client any more.
    const ended = await refresh(service, client, tokens.refresh_token, UNAUTHENTICATED)
    expect([ended.status, bodyOf(ended).error]).toEqual([400, 'invalid_grant'])
  })

  it('REQ-36: is rejected with the client_id of another client, and a code always needs the client_id', async () => {
    const { service, client, tokens } = await withTokens()
    const other = await register(service)
    const answer = await refresh(service, client, tokens.refresh_token, { client_id: other.clientId })
    expect(bodyOf(answer).error).toBe('invalid_grant')
    const code = await codeFor(service, client.clientId)
    expect((await redeem(service, client, code, UNAUTHENTICATED)).status).toBe(401)
  })
})
