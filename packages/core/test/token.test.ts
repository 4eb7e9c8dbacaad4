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
import { ISSUER, openSchool, REDIRECT_URI, type School, VERIFIER } from './school.ts'

async function withClient(metadata: object = {}): Promise<{ school: School; client: ClientAnswer }> {
  const school = openSchool()
  return { school, client: await register(school, metadata) }
}

const CONFIDENTIAL = { token_endpoint_auth_method: 'client_secret_post' }

async function isLive(school: School, accessToken: string): Promise<boolean> {
  return (await school.callApi(accessToken, 'courses:read')).kind === 'authorized'
}

describe('the token endpoint', () => {
  it('answers as RFC 6749 5.1 wants, and nothing may cache it', async () => {
    const { school, client } = await withClient()
    const response = await redeem(
      school,
      client,
      await codeFor(school, client.client_id, { scope: 'courses:read' }),
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

  it.each(['GET', 'HEAD', 'PUT', 'DELETE', 'TRACE'])(
    'answers %s with 405 and says what it allows',
    async (method) => {
      const response = await openSchool().send(method, '/api/oauth/token')
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
    const response = await openSchool().send('POST', '/api/oauth/token', message)
    expect([response.status, bodyOf(response).error]).toEqual([415, 'invalid_request'])
  })

  it('accepts a charset of UTF-8', async () => {
    const { school, client } = await withClient()
    const form = { grant_type: 'nonsense', ...credentials(client) }
    const headers = { 'content-type': 'Application/X-WWW-Form-Urlencoded;charset="UTF-8"' }
    expect(bodyOf(await school.send('POST', '/api/oauth/token', { form, headers })).error).toBe(
      'unsupported_grant_type',
    )
  })

  it('does not read the query string', async () => {
    const { school, client } = await withClient()
    const query = { grant_type: 'authorization_code', ...credentials(client) }
    const response = await school.send('POST', '/api/oauth/token', { query, form: 'a=b' })
    expect(bodyOf(response)).toEqual({ error: 'invalid_request', error_description: 'grant_type is missing' })
  })

  it.each(['grant_type', 'client_id', 'code', 'redirect_uri', 'code_verifier'])(
    'refuses %s when it is sent twice',
    async (name) => {
      const { school, client } = await withClient()
      const code = await codeFor(school, client.client_id)
      const form = {
        grant_type: 'authorization_code',
        ...credentials(client),
        code,
        redirect_uri: REDIRECT_URI,
        code_verifier: VERIFIER,
      }
      const twice = [...Object.entries(form), ...Object.entries(form).filter(([key]) => key === name)]
      expect(bodyOf(await requestToken(school, twice))).toEqual({
        error: 'invalid_request',
        error_description: `${name} must not be repeated`,
      })
      expect((await redeem(school, client, code)).status, 'the code is still good').toBe(200)
    },
  )

  it('lets any origin call it without credentials', async () => {
    const school = openSchool()
    const preflight = await school.send('OPTIONS', '/api/oauth/token', {
      headers: { origin: 'https://app.example' },
    })
    expect(preflight.status).toBe(204)
    expect(preflight.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'POST',
    })
    expect(preflight.headers).not.toHaveProperty('access-control-allow-credentials')
  })

  it('refuses a body over 64 KiB', async () => {
    const response = await openSchool().send('POST', '/api/oauth/token', {
      form: `a=${'x'.repeat(65 * 1024)}`,
    })
    expect([response.status, bodyOf(response).error]).toEqual([413, 'invalid_request'])
  })
})

describe('client authentication', () => {
  it.each([
    ['a secret from a public client', {}, { client_secret: 'x' }],
    ['no secret', CONFIDENTIAL, { client_secret: '' }],
    ['a wrong secret', CONFIDENTIAL, { client_secret: 'x' }],
    [
      'a client assertion',
      {},
      {
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        client_assertion: 'x',
      },
    ],
    ['an unknown client', {}, { client_id: 'nobody' }],
    ['no client_id', {}, { client_id: '' }],
  ])('refuses %s and consumes nothing', async (_, metadata, overrides) => {
    const { school, client } = await withClient(metadata)
    const code = await codeFor(school, client.client_id)
    const response = await redeem(school, client, code, overrides)
    expect([response.status, bodyOf(response).error]).toEqual([401, 'invalid_client'])
    expect(response.headers).not.toHaveProperty('www-authenticate')
    expect((await redeem(school, client, code)).status).toBe(200)
  })

  it('refuses the Authorization header, which no client here is registered for, and names its scheme', async () => {
    const { school, client } = await withClient(CONFIDENTIAL)
    const form = { grant_type: 'refresh_token', ...credentials(client), refresh_token: 'x' }
    const headers = { authorization: `Basic ${btoa(`${client.client_id}:${client.client_secret}`)}` }
    const response = await school.send('POST', '/api/oauth/token', { form, headers })
    expect([response.status, response.headers['www-authenticate']]).toEqual([401, 'Basic realm="oauth"'])
  })

  it('accepts a confidential client with its secret', async () => {
    const { school, client } = await withClient(CONFIDENTIAL)
    expect(client.client_secret).toMatch(/^[\w-]{43}$/)
    expect((await redeem(school, client, await codeFor(school, client.client_id))).status).toBe(200)
  })

  it('refuses a grant type that the client did not register', async () => {
    const { school, client } = await withClient({ grant_types: ['authorization_code'] })
    const tokens = await tokensFor(school, client)
    expect(tokens.refresh_token, 'nor is it given such a token').toBeUndefined()
    expect(bodyOf(await refresh(school, client, 'x')).error).toBe('unauthorized_client')
  })
})

describe('redeeming a code', () => {
  it.each([
    ['another redirect_uri', { redirect_uri: 'http://127.0.0.1:7001/other' }, 'invalid_grant'],
    ['no redirect_uri', { redirect_uri: '' }, 'invalid_grant'],
    ['a resource of another server', { resource: 'https://other.example' }, 'invalid_target'],
    ['no verifier', { code_verifier: '' }, 'invalid_request'],
    ['a verifier that is too short', { code_verifier: 'v'.repeat(42) }, 'invalid_request'],
    ['a verifier that is too long', { code_verifier: 'v'.repeat(129) }, 'invalid_request'],
    ['another code', { code: `gkc_${'x'.repeat(22)}.${'y'.repeat(43)}` }, 'invalid_grant'],
    ['nonsense', { code: 'nonsense' }, 'invalid_grant'],
  ])('refuses %s and leaves the code good', async (_, overrides, error) => {
    const { school, client } = await withClient()
    const code = await codeFor(school, client.client_id)
    expect(bodyOf(await redeem(school, client, code, overrides)).error).toBe(error)
    expect((await redeem(school, client, code)).status).toBe(200)
  })

  it('burns the code on a wrong verifier', async () => {
    const { school, client } = await withClient()
    const code = await codeFor(school, client.client_id)
    expect(bodyOf(await redeem(school, client, code, { code_verifier: 'v'.repeat(43) })).error).toBe(
      'invalid_grant',
    )
    expect(bodyOf(await redeem(school, client, code)).error).toBe('invalid_grant')
    expect(school.events).toContainEqual(
      expect.objectContaining({ type: 'grant_ended', reason: 'code_verifier_mismatch' }),
    )
  })

  it('takes another secret for the same grant for unknown, and burns nothing', async () => {
    const { school, client } = await withClient()
    const code = await codeFor(school, client.client_id)
    const forged = `${code.slice(0, code.indexOf('.'))}.${'x'.repeat(43)}`
    const answer = await redeem(school, client, forged)
    expect([answer.status, bodyOf(answer).error]).toEqual([400, 'invalid_grant'])
    expect((await redeem(school, client, code)).status).toBe(200)
  })

  it('refuses an expired code at the very second', async () => {
    const { school, client } = await withClient()
    const code = await codeFor(school, client.client_id)
    school.clock.now += 60
    expect(bodyOf(await redeem(school, client, code)).error).toBe('invalid_grant')
  })

  it('gives another client nothing, and its owner loses nothing', async () => {
    const { school, client } = await withClient()
    const thief = await register(school)
    const code = await codeFor(school, client.client_id)
    expect(bodyOf(await redeem(school, thief, code)).error).toBe('invalid_grant')
    const { access_token } = bodyOf<TokenAnswer>(await redeem(school, client, code))
    expect(bodyOf(await redeem(school, thief, code)).error).toBe('invalid_grant')
    expect(await isLive(school, access_token), 'after a replay by the thief').toBe(true)
  })

  it('ends everything when its own client replays it', async () => {
    const { school, client } = await withClient()
    const code = await codeFor(school, client.client_id)
    const tokens = bodyOf<TokenAnswer>(await redeem(school, client, code))
    expect(bodyOf(await redeem(school, client, code)).error).toBe('invalid_grant')
    expect(await isLive(school, tokens.access_token)).toBe(false)
    expect(bodyOf(await refresh(school, client, tokens.refresh_token)).error).toBe('invalid_grant')
  })

  it('lets exactly one of fifty at once through, and then ends the grant', async () => {
    const { school, client } = await withClient()
    for (let round = 0; round < 20; round++) {
      const code = await codeFor(school, client.client_id)
      const answers = await Promise.all(Array.from({ length: 50 }, () => redeem(school, client, code)))
      const winners = answers.filter(({ status }) => status === 200)
      expect(winners).toHaveLength(1)
      for (const winner of winners)
        expect(await isLive(school, bodyOf<TokenAnswer>(winner).access_token)).toBe(false)
    }
  })

  it('stores no secret, only hashes', async () => {
    const { school, client } = await withClient(CONFIDENTIAL)
    const code = await codeFor(school, client.client_id)
    const tokens = bodyOf<TokenAnswer>(await redeem(school, client, code))
    const rotated = bodyOf<TokenAnswer>(await refresh(school, client, tokens.refresh_token))
    const stored = JSON.stringify([
      await school.store.grants.listBySubject('alice'),
      await school.store.clients.find(client.client_id),
    ])
    const secrets = [
      code,
      tokens.access_token,
      tokens.refresh_token,
      rotated.access_token,
      rotated.refresh_token,
    ]
    for (const secret of secrets) expect(stored).not.toContain(secret.split('.').at(-1))
    expect(stored).not.toContain(client.client_secret)
  })
})

describe('refreshing', () => {
  async function withTokens(overrides = {}, metadata = {}) {
    const { school, client } = await withClient(metadata)
    return { school, client, tokens: await tokensFor(school, client, overrides) }
  }

  it('gives a new pair', async () => {
    const { school, client, tokens } = await withTokens()
    const next = bodyOf<TokenAnswer>(await refresh(school, client, tokens.refresh_token))
    expect(next.access_token).not.toBe(tokens.access_token)
    expect(next.refresh_token).not.toBe(tokens.refresh_token)
    expect(next.scope).toBe(tokens.scope)
    expect(await isLive(school, next.access_token)).toBe(true)
  })

  it('gives the same pair again to a retry inside the window', async () => {
    const { school, client, tokens } = await withTokens()
    const first = bodyOf<TokenAnswer>(await refresh(school, client, tokens.refresh_token))
    school.clock.now += 59
    const again = bodyOf<TokenAnswer>(await refresh(school, client, tokens.refresh_token))
    expect([again.access_token, again.refresh_token]).toEqual([first.access_token, first.refresh_token])
    expect(again.expires_in).toBe(3600 - 59)
    expect(await isLive(school, again.access_token)).toBe(true)
  })

  it('tells the operator which answers were given again', async () => {
    const { school, client, tokens } = await withTokens()
    await refresh(school, client, tokens.refresh_token)
    await refresh(school, client, tokens.refresh_token)
    const seen = school.events.map(({ type }) => type).filter((type) => type.startsWith('refresh_token_'))
    expect(seen).toEqual(['refresh_token_rotated', 'refresh_token_retried'])
  })

  it('takes a token of a family that the grant does not have for unknown, and ends nothing', async () => {
    const { school, client, tokens } = await withTokens()
    const [grant, family = ''] = tokens.refresh_token.split('.')
    const forged = tokens.refresh_token.replace(`${grant}.${family}`, `${grant}.${'x'.repeat(22)}`)
    const answer = await refresh(school, client, forged)
    expect([answer.status, bodyOf(answer).error]).toEqual([400, 'invalid_grant'])
    expect((await refresh(school, client, tokens.refresh_token)).status).toBe(200)
  })

  it('gives fifty processes at once the same pair', async () => {
    const { school, client, tokens } = await withTokens({ scope: 'courses:read' })
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => refresh(school, client, tokens.refresh_token)),
    )
    expect(new Set(answers.map(({ status, body }) => `${status} ${body}`)).size).toBe(1)
    expect(answers[0]?.status).toBe(200)
  })

  it('takes a spent token outside the window for a theft', async () => {
    const { school, client, tokens } = await withTokens()
    const next = bodyOf<TokenAnswer>(await refresh(school, client, tokens.refresh_token))
    school.clock.now += 60
    expect(bodyOf(await refresh(school, client, tokens.refresh_token)).error).toBe('invalid_grant')
    expect(await isLive(school, next.access_token)).toBe(false)
    expect(bodyOf(await refresh(school, client, next.refresh_token)).error).toBe('invalid_grant')
    expect(school.events).toContainEqual(
      expect.objectContaining({ type: 'grant_ended', reason: 'refresh_token_reused' }),
    )
  })

  it('takes a token two generations old for a theft, even inside the window', async () => {
    const { school, client, tokens } = await withTokens()
    const next = bodyOf<TokenAnswer>(await refresh(school, client, tokens.refresh_token))
    await refresh(school, client, next.refresh_token)
    expect(bodyOf(await refresh(school, client, tokens.refresh_token)).error).toBe('invalid_grant')
    expect(await isLive(school, next.access_token)).toBe(false)
  })

  it('forgives nothing when the window is 0', async () => {
    const school = openSchool({ lifetimes: { refreshRetryWindow: 0 } })
    const client = await register(school)
    const tokens = await tokensFor(school, client)
    const answers = await Promise.all([1, 2, 3].map(() => refresh(school, client, tokens.refresh_token)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(await isLive(school, tokens.access_token), 'the family is gone').toBe(false)
  })

  it('kills nothing for a token of this family that the store never heard of, as after a lost replica', async () => {
    const { school, client, tokens } = await withTokens()
    const [head, family] = tokens.refresh_token.split('.')
    for (const generation of [0, 1, 7]) {
      const lost = `${head}.${family}.${generation}.${'x'.repeat(43)}`
      expect(bodyOf(await refresh(school, client, lost)).error).toBe('invalid_grant')
    }
    expect((await refresh(school, client, tokens.refresh_token)).status).toBe(200)
  })

  it.each([
    ['a wider scope', { scope: 'openid students:read' }, 'invalid_scope'],
    ['an unknown scope', { scope: 'nope' }, 'invalid_scope'],
    ['a foreign resource', { resource: 'https://other.example' }, 'invalid_target'],
    ['a resource beyond the grant', { resource: ISSUER }, 'invalid_target'],
  ])('refuses %s and leaves the token good', async (_, overrides, error) => {
    const { school, client, tokens } = await withTokens({ resource: `${ISSUER}/mcp` })
    expect(bodyOf(await refresh(school, client, tokens.refresh_token, overrides)).error).toBe(error)
    const next = bodyOf<TokenAnswer>(await refresh(school, client, tokens.refresh_token))
    expect(next.refresh_token.split('.')[2], 'still the first rotation').toBe('1')
  })

  it('narrows the scope and widens it again, never beyond the grant', async () => {
    const { school, client, tokens } = await withTokens()
    const narrow = bodyOf<TokenAnswer>(
      await refresh(school, client, tokens.refresh_token, { scope: 'profile' }),
    )
    expect(narrow.scope).toBe('profile')
    expect((await school.callApi(narrow.access_token, 'courses:read')).kind).toBe('refused')
    const full = bodyOf<TokenAnswer>(await refresh(school, client, narrow.refresh_token))
    expect(full.scope).toBe('openid profile courses:read')
  })

  it('does not call a narrower retry a theft, nor answer it', async () => {
    const { school, client, tokens } = await withTokens()
    await refresh(school, client, tokens.refresh_token)
    expect(bodyOf(await refresh(school, client, tokens.refresh_token, { scope: 'profile' })).error).toBe(
      'invalid_grant',
    )
    expect(await isLive(school, tokens.access_token)).toBe(true)
  })

  it('gives another client nothing, and its owner loses nothing', async () => {
    const { school, client, tokens } = await withTokens()
    const thief = await register(school)
    expect(bodyOf(await refresh(school, thief, tokens.refresh_token)).error).toBe('invalid_grant')
    expect((await refresh(school, client, tokens.refresh_token)).status).toBe(200)
  })

  it('takes no other kind of credential', async () => {
    const { school, client, tokens } = await withTokens()
    for (const other of [tokens.access_token, tokens.id_token, `gkr_${'x'.repeat(22)}`]) {
      expect(bodyOf(await refresh(school, client, other)).error).toBe('invalid_grant')
    }
    expect((await school.callApi(tokens.refresh_token)).kind).toBe('refused')
    expect((await school.callApi(tokens.id_token)).kind).toBe('refused')
  })

  const DAY = 24 * 3600

  it('ends after idling', async () => {
    const { school, client, tokens } = await withTokens()
    school.clock.now += 30 * DAY
    expect(bodyOf(await refresh(school, client, tokens.refresh_token)).error).toBe('invalid_grant')
  })

  it('ends with the grant, however busy the client was', async () => {
    const school = openSchool()
    const client = await school.server.clients.add({ client_name: 'Calendar', redirect_uris: [REDIRECT_URI] })
    let { refresh_token } = await tokensFor(school, client)
    for (let day = 29; day < 180; day += 29) {
      school.clock.now += 29 * DAY
      refresh_token = bodyOf<TokenAnswer>(await refresh(school, client, refresh_token)).refresh_token
    }
    school.clock.now += 6 * DAY
    expect(bodyOf(await refresh(school, client, refresh_token)).error).toBe('invalid_grant')
  })
})

describe('the ID token', () => {
  async function verified(school: School, idToken: string) {
    const jwks = bodyOf<Parameters<typeof createLocalJWKSet>[0]>(await school.send('GET', '/api/oauth/jwks'))
    return jwtVerify(idToken, createLocalJWKSet(jwks), { currentDate: new Date(school.clock.now * 1000) })
  }

  it.each(['RS256', 'ES256', 'EdDSA'])('is signed with %s when the client registered it', async (alg) => {
    const { school, client } = await withClient({ id_token_signed_response_alg: alg })
    const { id_token } = await tokensFor(school, client)
    expect((await verified(school, id_token)).protectedHeader).toEqual({
      alg,
      kid: `test-${alg}`,
      typ: 'JWT',
    })
  })

  it('says who signed in, when, for whom, and which access token came with it', async () => {
    const { school, client } = await withClient()
    const { id_token, access_token } = await tokensFor(school, client, { nonce: 'n-0S6' })
    const { payload } = await verified(school, id_token)
    const digest = new Uint8Array(
      await crypto.subtle.digest('SHA-256', new TextEncoder().encode(access_token)),
    )
    expect(payload).toEqual({
      iss: ISSUER,
      sub: 'alice',
      aud: client.client_id,
      azp: client.client_id,
      iat: school.clock.now,
      exp: school.clock.now + 3600,
      auth_time: school.clock.now,
      nonce: 'n-0S6',
      at_hash: Buffer.from(digest.subarray(0, 16)).toString('base64url'),
    })
  })

  it('comes again with a refresh, newer and without the nonce', async () => {
    const { school, client } = await withClient()
    const first = await tokensFor(school, client, { nonce: 'n' })
    school.clock.now += 100
    const next = bodyOf<TokenAnswer>(await refresh(school, client, first.refresh_token))
    const [before, after] = [decodeJwt(first.id_token), decodeJwt(next.id_token)]
    expect(after).toMatchObject({
      sub: 'alice',
      aud: client.client_id,
      auth_time: before.auth_time,
      iat: (before.iat ?? 0) + 100,
    })
    expect(after).not.toHaveProperty('nonce')
  })

  it('comes only with openid', async () => {
    const { school, client } = await withClient()
    expect(await tokensFor(school, client, { scope: 'courses:read' })).not.toHaveProperty('id_token')
  })
})
