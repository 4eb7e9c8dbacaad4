import type { ClientChanges } from '@grantkit/core'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  ALICE,
  authorizationQuery,
  authorize,
  bodyOf,
  codeFor,
  decide,
  redeem,
  redirectOf,
  refresh,
  register,
  tokensFor,
} from './client.ts'
import { CHALLENGE, ISSUER, openService, PAGE, REDIRECT_URI, type Service } from './service.ts'

async function withClient(metadata: object = {}): Promise<{ service: Service; id: string }> {
  const service = openService()
  return { service, id: (await register(service, metadata)).clientId }
}

describe('authorize, before the redirect URI is trusted', () => {
  it.each([
    ['an unknown client', { client_id: 'unknown' }, 'client_unknown'],
    ['no client_id', { client_id: undefined }, 'message_invalid'],
    ['no redirect_uri, though only one is registered', { redirect_uri: undefined }, 'redirect_uri_missing'],
    ['a foreign redirect_uri', { redirect_uri: 'https://evil.example/cb' }, 'redirect_uri_not_registered'],
  ])(
    'RA-01, RA-06, REQ-11: without a redirect URI to trust there is a page, and no redirect: %s',
    async (_, overrides, reason) => {
      const { service, id } = await withClient()
      for (const prompt of [undefined, 'none'])
        for (const user of [ALICE, {}]) {
          const response = await authorize(service, authorizationQuery(id, { ...overrides, prompt }), user)
          expect([response.status, response.headers.location]).toEqual([400, undefined])
          expect(service.shown.error?.reason).toBe(reason)
        }
    },
  )

  it('names a redirect_uri that is not registered, cut and in visible characters', async () => {
    const { service, id } = await withClient()
    await authorize(service, authorizationQuery(id, { redirect_uri: 'https://evil.example/\u202ecb' }))
    expect(service.shown.error?.parameters).toEqual({ redirect_uri: 'https://evil.example/\\u202ecb' })
    await authorize(
      service,
      authorizationQuery(id, { redirect_uri: `https://evil.example/${'x'.repeat(900)}` }),
    )
    expect(service.shown.error?.parameters.redirect_uri).toHaveLength(300)
  })

  it.each(['redirect_uri', 'client_id'])('RA-05, REQ-10: shows a page when %s is repeated', async (name) => {
    const { service, id } = await withClient()
    const response = await authorize(service, `${authorizationQuery(id)}&${name}=https%3A%2F%2Fevil.example`)
    expect([response.status, response.headers.location]).toEqual([400, undefined])
    expect(service.shown.error?.description).toBe(`${name} must not be repeated`)
  })

  it('UI-04, REQ-29: the authorization endpoint keeps its pages out of frames, caches and other sites', async () => {
    const { service, id } = await withClient()
    const pages = [await authorize(service, 'client_id=x'), await authorize(service, authorizationQuery(id))]
    for (const { headers } of pages) {
      expect(headers).toMatchObject({
        'x-frame-options': 'DENY',
        'referrer-policy': 'same-origin',
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
        'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
      })
      expect(headers).not.toHaveProperty('access-control-allow-origin')
    }
  })
})

describe('authorize, after the redirect URI is trusted', () => {
  it.each([
    ['a resource of another server', { resource: 'https://other.example' }, 'invalid_target'],
    ['a request object', { request: 'eyJhbGciOiJub25lIn0.e30.' }, 'request_not_supported'],
    ['a request_uri', { request_uri: 'http://127.0.0.1:1/' }, 'request_uri_not_supported'],
    ['a registration', { registration: '{}' }, 'registration_not_supported'],
    ['prompt=none with another', { prompt: 'none login' }, 'invalid_request'],
    ['an unknown prompt', { prompt: 'create' }, 'invalid_request'],
    ...['-1', '1.5', 'x', '1e9', '0x1', ' 1', '99999999999'].map(
      (max_age): [string, Record<string, string>, string] => [
        `max_age=${max_age}`,
        { max_age },
        'invalid_request',
      ],
    ),
    ['a nonce beyond all measure', { nonce: 'n'.repeat(4001) }, 'invalid_request'],
  ])(
    'AQ-09, REQ-17, REQ-19, REQ-20, REQ-22, REQ-23: what is wrong goes back with state and iss, and nothing is fetched: %s',
    async (_, overrides, error) => {
      const { service, id } = await withClient()
      const fetched = vi.spyOn(globalThis, 'fetch')
      onTestFinished(() => fetched.mockRestore())
      const response = await authorize(service, authorizationQuery(id, overrides))
      expect(fetched).not.toHaveBeenCalled()
      expect([response.status, response.body]).toEqual([303, ''])
      expect(String(response.headers.location).startsWith(`${REDIRECT_URI}?`)).toBe(true)
      expect(redirectOf(response)).toEqual({
        error,
        error_description: expect.any(String),
        state: 'a state',
        iss: ISSUER,
      })
    },
  )

  it.each<[string, string, string[], (string | undefined)[]]>([
    [
      'AQ-01, REQ-15, REQ-38: a request without a challenge is refused, with a nonce as well, confidential or not',
      'code_challenge',
      ['invalid_request'],
      [undefined, ''],
    ],
    [
      'AQ-02, REQ-15: no method but S256 is taken, and none is not taken for plain',
      'code_challenge_method',
      ['invalid_request'],
      [undefined, '', 'plain', 's256', ' S256', 'none'],
    ],
    [
      'AQ-03, REQ-15: a challenge that is not 43 characters of base64url is refused',
      'code_challenge',
      ['invalid_request'],
      [CHALLENGE.slice(1), `${CHALLENGE}A`, `${CHALLENGE.slice(1)}=`, `${CHALLENGE}\n`, ' '.repeat(43)],
    ],
    [
      'AQ-05, REQ-14: no response type but code is answered, and never with a token',
      'response_type',
      ['unsupported_response_type', 'invalid_request'],
      [
        'token',
        'id_token',
        'code token',
        'code id_token',
        'none',
        'code code',
        'CODE',
        ' code',
        '',
        undefined,
      ],
    ],
    [
      'AQ-06: no response mode but query is answered, and never with a fragment',
      'response_mode',
      ['invalid_request'],
      ['fragment', 'form_post', 'web_message', 'jwt', 'query.jwt', 'QUERY'],
    ],
    [
      'AQ-10, REQ-16: a scope that does not exist or is badly written is refused',
      'scope',
      ['invalid_scope'],
      ['admin', 'OpenID', '__proto__', 'openid  profile', 'openid "', ' openid', 'openid\0'],
    ],
    [
      'AQ-10, REQ-16: a scope that is endless is refused',
      'scope',
      ['invalid_scope', 'invalid_request'],
      ['x'.repeat(10_000), `openid ${'courses:read '.repeat(400)}`],
    ],
    ['D1, REQ-16: a request without a scope is refused', 'scope', ['invalid_request'], [undefined, '']],
  ])('%s', async (_, name, errors, values) => {
    const confidential = { token_endpoint_auth_method: 'client_secret_post' }
    for (const [metadata, nonce] of [[{}], [{}, 'n-1'], [confidential], [confidential, 'n-1']] as const) {
      const { service, id } = await withClient(metadata)
      for (const value of values) {
        const about = value?.slice(0, 40)
        const query = authorizationQuery(id, { nonce, [name]: value })
        const { location } = (await authorize(service, query)).headers
        expect(location, about).toMatch(/^http:\/\/127\.0\.0\.1:7001\/callback\?[^#]*$/)
        const answered = Object.fromEntries(new URL(String(location)).searchParams)
        expect(errors, about).toContain(answered.error)
        expect(Object.keys(answered)).toEqual(['error', 'error_description', 'state', 'iss'])
      }
    }
  })

  it('AQ-06: the response mode query is allowed', async () => {
    const { service, id } = await withClient()
    const query = authorizationQuery(id, { response_mode: 'query' })
    expect((await authorize(service, query)).body).toBe('consent')
  })

  it.each([
    ...['scope', 'state', 'nonce', 'prompt', 'max_age'],
    ...['response_type', 'code_challenge', 'code_challenge_method'],
  ])(
    'AQ-07, REQ-10: a parameter that is sent twice is rejected, also with equal values: %s',
    async (name) => {
      const { service, id } = await withClient()
      const query = authorizationQuery(id, { nonce: 'n', prompt: 'login', max_age: '1' })
      for (const value of ['x', new URLSearchParams(query).get(name) ?? '']) {
        const twice = `${query}&${new URLSearchParams({ [name]: value })}`
        expect(redirectOf(await authorize(service, twice)), value).toMatchObject({
          error: 'invalid_request',
          error_description: `${name} must not be repeated`,
        })
      }
    },
  )

  it('REQ-09, REQ-27: ignores parameters it does not know, also repeated ones', async () => {
    const { service, id } = await withClient()
    const response = await authorize(
      service,
      `${authorizationQuery(id)}&display=page&claims_locales=fr&foo=1&foo=2&acr_values=0`,
    )
    expect(response.body).toBe('consent')
  })

  it('REQ-18: returns any state unchanged, and no state if none was sent', async () => {
    const { service, id } = await withClient()
    const state = `a+b%20&="<ä\r\n${'x'.repeat(2048)}`
    expect(redirectOf(await authorize(service, authorizationQuery(id, { state, scope: 'nope' }))).state).toBe(
      state,
    )
    expect(
      redirectOf(await authorize(service, authorizationQuery(id, { state: undefined, scope: 'nope' }))),
    ).not.toHaveProperty('state')
  })

  it('REQ-18: carries any state of 8,000 characters through consent: some clients seal their own request in it', async () => {
    const { service, id } = await withClient()
    const state = `a+b%20&=?#/"<\r\n\0\u202e%0d%0a€😀${'s'.repeat(8000)}`
    await authorize(service, authorizationQuery(id, { state }))
    expect(redirectOf(await decide(service, { decision: 'allow' }))).toMatchObject({
      state,
      code: expect.any(String),
    })
  })

  it('REQ-09: accepts the same request as a form POST', async () => {
    const { service, id } = await withClient()
    const response = await service.send('POST', '/oauth/authorize', {
      form: authorizationQuery(id),
      headers: ALICE,
    })
    expect(response.body).toBe('consent')
    expect(redirectOf(await decide(service))).toHaveProperty('code')
  })

  it('shows a page for a POST without a form', async () => {
    const { service, id } = await withClient()
    const headers = { ...ALICE, 'content-type': 'text/plain' }
    const response = await service.send('POST', '/oauth/authorize', { form: authorizationQuery(id), headers })
    expect(response.status).toBe(415)
    expect(service.shown.error?.reason).toBe('media_type_unsupported')
  })

  it('passes the client and its sign-in parameters to the sign-in page', async () => {
    const { service, id } = await withClient()
    const demands = { prompt: 'consent select_account login', max_age: '0' }
    const hints = { login_hint: 'alice@server.example', ui_locales: 'de en', ...demands }
    await authorize(service, authorizationQuery(id, hints), {})
    expect(service.shown.signInHint).toEqual({
      ...PAGE,
      client: expect.objectContaining({ clientId: id }),
      redirectUri: REDIRECT_URI,
      loginHint: 'alice@server.example',
      uiLocales: 'de en',
      prompt: 'login select_account',
      maxAge: 0,
    })
  })

  it('REQ-22: prompt=none shows no page', async () => {
    const { service, id } = await withClient()
    const silently = (user: { readonly cookie?: string }) =>
      authorize(service, authorizationQuery(id, { prompt: 'none' }), user)
    expect(redirectOf(await silently({})).error).toBe('login_required')
    expect(redirectOf(await silently({ cookie: 'user=alice' })).error).toBe('consent_required')
    expect([service.shown.signIn, service.shown.consent]).toEqual([undefined, undefined])
  })

  it('DR-07, REQ-63: an integration gets nothing beyond the scopes that the operator registered', async () => {
    const service = openService()
    const integration = {
      clientName: 'Zap',
      redirectUris: [REDIRECT_URI],
      scopes: ['openid', 'courses:read'],
    }
    const { clientId: client_id } = await service.server.clients.add(integration)
    const answer = await authorize(service, authorizationQuery(client_id, { scope: 'courses:write' }))
    expect(redirectOf(answer).error).toBe('invalid_scope')
  })
})

describe('signing in', () => {
  it('sends a user without a session to sign-in and back', async () => {
    const { service, id } = await withClient()
    await authorize(service, authorizationQuery(id), {})
    const [path = '', query = ''] = (service.shown.signIn ?? '').split('?')
    expect(query, 'nothing is added without need').toBe(authorizationQuery(id))
    const response = await service.send('GET', path, { query, headers: ALICE })
    expect(response.body).toBe('consent')
  })

  it.each([
    ['prompt=login', { prompt: 'login' }],
    ['prompt=select_account', { prompt: 'select_account' }],
    ['max_age=0', { max_age: '0' }],
    ['max_age that has passed', { max_age: '10' }],
  ])('REQ-23: asks again for %s, once', async (_, overrides) => {
    const { service, id } = await withClient()
    const before = { cookie: `user=alice@${service.clock.now - 100}` }
    await authorize(service, authorizationQuery(id, overrides), before)
    const [path = '', query = ''] = (service.shown.signIn ?? '').split('?')
    expect(
      (await service.send('GET', path, { query, headers: before })).body,
      'not signed in again',
    ).not.toBe('consent')
    service.clock.now += 30
    const after = { cookie: `user=alice@${service.clock.now}` }
    service.clock.now += 5
    expect((await service.send('GET', path, { query, headers: after })).body).toBe('consent')
    service.clock.now += 60
    expect(
      redirectOf(await decide(service, {}, after)),
      'thinking it over costs no new sign-in',
    ).toHaveProperty('code')
    const [, fromConsent = ''] = (service.shown.consent?.returnTo ?? '').split('?')
    const later = { cookie: `user=alice@${service.clock.now}` }
    expect(
      (await service.send('GET', path, { query: fromConsent, headers: later })).body,
      'a sign-in that the consent page requires is not required again',
    ).toBe('consent')
  })

  it.each([
    [60, true],
    [61, false],
  ])('takes a new sign-in that a clock %i seconds behind dates: %s', async (behind, accepted) => {
    const { service, id } = await withClient()
    await authorize(service, authorizationQuery(id, { prompt: 'login' }))
    const [path = '', query = ''] = (service.shown.signIn ?? '').split('?')
    const after = { cookie: `user=alice@${service.clock.now - behind}` }
    const { body } = await service.send('GET', path, { query, headers: after })
    expect(body === 'consent').toBe(accepted)
  })

  it('accepts neither the old session after sign-in, nor an older one of another user', async () => {
    const { service, id } = await withClient()
    const thisVerySecond = { cookie: `user=alice@${service.clock.now}` }
    await authorize(service, authorizationQuery(id, { prompt: 'login' }), thisVerySecond)
    const [path = '', query = ''] = (service.shown.signIn ?? '').split('?')
    const older = { cookie: `user=bob@${service.clock.now - 100}` }
    for (const headers of [thisVerySecond, older]) {
      expect((await service.send('GET', path, { query, headers })).body).not.toBe('consent')
    }
  })

  it('REQ-26: issues no code for another user than the one of the hint', async () => {
    const { service, id } = await withClient()
    const { id_token } = await tokensFor(service, { clientId: id })
    service.clock.now += 10_000_000
    const query = authorizationQuery(id, { id_token_hint: id_token })
    const bob = { cookie: `user=bob@${service.clock.now}` }
    expect(redirectOf(await authorize(service, `${query}&prompt=none`, bob)).error).toBe('login_required')
    await authorize(service, query, bob)
    expect(service.shown.signInHint?.prompt, 'or a single sign-on returns Bob for ever').toBe('login')
    const [path = '', returned = ''] = (service.shown.signIn ?? '').split('?')
    service.clock.now += 1
    const again = { cookie: `user=bob@${service.clock.now}` }
    expect(redirectOf(await service.send('GET', path, { query: returned, headers: again })).error).toBe(
      'login_required',
    )
    expect((await authorize(service, query)).body, 'Alice herself').toBe('consent')
  })

  it.each([
    ['signed in', ALICE],
    ['not signed in', {}],
  ])('answers a hint that it did not sign with login_required, for a user who is %s', async (_, user) => {
    const { service, id } = await withClient()
    const hint = 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJhbGljZSIsImlzcyI6Imh0dHBzOi8vc2Nob29sLmV4YW1wbGUifQ.'
    for (const prompt of [undefined, 'none', 'login']) {
      const query = authorizationQuery(id, { id_token_hint: hint, prompt })
      expect(redirectOf(await authorize(service, query, user)).error).toBe('login_required')
    }
    expect(service.shown).toEqual({})
  })

  it('writes nothing to the store for a request without approval', async () => {
    const { service, id } = await withClient()
    await authorize(service, authorizationQuery(id), {})
    await authorize(service, authorizationQuery(id))
    expect((await service.store.grants.list({ subject: 'alice' }, { limit: 200 })).grants).toEqual([])
  })
})

describe('a scope that is not in the catalogue', () => {
  const offered = (service: Service) => service.shown.consent?.scopes.map(({ name }) => name)

  it('is named in the error', async () => {
    const service = openService()
    const { clientId: client_id } = await register(service)
    const scope = 'openid admin courses:read'
    expect(redirectOf(await authorize(service, authorizationQuery(client_id, { scope })))).toMatchObject({
      error: 'invalid_scope',
      error_description: 'Unknown scope admin. See scopes_supported',
    })
  })

  it('D7: is ignored if it is offline_access, at the refresh too', async () => {
    const service = openService()
    const client = await register(service)
    const scope = 'openid offline_access courses:read'
    const tokens = await tokensFor(service, client, { scope })
    expect(tokens.scope).toBe('openid courses:read')
    expect(offered(service)).toEqual(['openid', 'courses:read'])
    const answer = await refresh(service, client, tokens.refresh_token, { scope })
    expect(bodyOf(answer).scope).toBe('openid courses:read')
  })

  it('is an error if it is offline_access alone', async () => {
    const alone = { scope: 'offline_access' }
    const service = openService()
    const plain = authorizationQuery((await register(service)).clientId, alone)
    expect(redirectOf(await authorize(service, plain)).error_description).toMatch(/^scope is missing/)
    const reader = await register(service, { scope: 'courses:read' })
    await authorize(service, authorizationQuery(reader.clientId, alone))
    expect(offered(service)).toEqual(['courses:read'])
    const withDefault = openService({ defaultScope: 'students:read' })
    await authorize(withDefault, authorizationQuery((await register(withDefault)).clientId, alone))
    expect(offered(withDefault)).toEqual(['students:read'])
  })

  it('is ignored if the option says so', async () => {
    const service = openService({ unknownScopes: 'ignore' })
    const client = await register(service)
    const scope = 'constructor openid https://mail.example/.default'
    const { refresh_token } = await tokensFor(service, client, { scope })
    expect(offered(service)).toEqual(['openid'])
    expect(bodyOf(await refresh(service, client, refresh_token, { scope })).scope).toBe('openid')
    const other = await refresh(service, client, refresh_token, { scope: 'openid elsewhere' })
    expect(bodyOf(other).error, 'but no scope that was never requested').toBe('invalid_scope')
  })
})

it('a request by POST from another site is repeated as a GET, which has the cookies of the session', async () => {
  const { service, id } = await withClient()
  const query = authorizationQuery(id, { prompt: 'none' })
  const post = (headers: Record<string, string>) =>
    service.send('POST', '/oauth/authorize', {
      form: query,
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    })
  for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://app.example' }]) {
    const { status, headers: answer } = await post(headers as never)
    const [path, repeated = ''] = String(answer.location).split('?')
    expect([status, path]).toEqual([303, '/oauth/authorize'])
    expect([...new URLSearchParams(repeated)]).toEqual([...new URLSearchParams(query)])
  }
  const ofThisSite = await post({ 'sec-fetch-site': 'same-origin' })
  expect(redirectOf(ofThisSite).error).toBe('login_required')
  const withCookie = await post({ 'sec-fetch-site': 'cross-site', ...ALICE })
  expect(redirectOf(withCookie).error).toBe('consent_required')
})

describe('a client with optional PKCE', () => {
  const ZAP = { clientName: 'Zap', redirectUris: [REDIRECT_URI], pkceOptional: true }
  const NO_CHALLENGE = { code_challenge: undefined, code_challenge_method: undefined, nonce: 'n' }
  const NO_VERIFIER = { code_verifier: undefined }

  it('gets a code and tokens without a challenge', async () => {
    const service = openService()
    const client = await service.server.clients.add(ZAP)
    const code = await codeFor(service, client.clientId, NO_CHALLENGE)
    expect((await redeem(service, { ...client, clientSecret: 'x' }, code, NO_VERIFIER)).status).toBe(401)
    expect((await redeem(service, client, code, NO_VERIFIER)).status).toBe(200)
    expect(await service.server.clients.list()).toMatchObject([{ clientName: 'Zap', pkceOptional: true }])
  })

  it.each([
    ['needs a nonce for an ID token', 'openid courses:read', 'challenge_and_nonce_missing'],
    ['needs a challenge where no ID token has the nonce', 'courses:read', 'challenge_and_nonce_missing'],
  ])('%s', async (_, scope, reason) => {
    const service = openService()
    const { clientId: client_id } = await service.server.clients.add(ZAP)
    await authorize(service, authorizationQuery(client_id, { ...NO_CHALLENGE, scope, nonce: undefined }))
    const refused = service.events.filter(({ type }) => type === 'refused')
    expect(refused).toEqual(reason === undefined ? [] : [expect.objectContaining({ reason })])
  })

  it('needs neither if the operator allowed that too, as OpenID Connect Core 3.1.2.1 has it', async () => {
    const service = openService()
    const { clients } = service.server
    const client = await clients.add({ ...ZAP, nonceOptional: true })
    const code = await codeFor(service, client.clientId, { ...NO_CHALLENGE, nonce: undefined })
    expect((await redeem(service, client, code, NO_VERIFIER)).status).toBe(200)
    const { clientSecret: _, ...seen } = client
    expect(seen).toMatchObject({ nonceOptional: true })
    const update = (changes: ClientChanges) => clients.update(client.clientId, changes, { seen })
    await expect(update({ pkceOptional: false })).rejects.toThrow('nonceOptional')
    const stricter = await update({ nonceOptional: null })
    expect(stricter).not.toHaveProperty('nonceOptional')
  })

  it('CR-20: a code without a challenge is rejected with any verifier, and is consumed', async () => {
    const service = openService()
    const client = await service.server.clients.add(ZAP)
    const code = await codeFor(service, client.clientId, NO_CHALLENGE)
    const answer = await redeem(service, client, code)
    expect([answer.status, bodyOf(answer).error]).toEqual([400, 'invalid_grant'])
    expect(bodyOf(await redeem(service, client, code, NO_VERIFIER)).error).toBe('invalid_grant')
  })

  it('CR-21: must prove the challenge if it sends one', async () => {
    const service = openService()
    const client = await service.server.clients.add(ZAP)
    const code = await codeFor(service, client.clientId)
    expect(bodyOf(await redeem(service, client, code, NO_VERIFIER)).error).toBe('invalid_grant')
    expect((await redeem(service, client, code)).status).toBe(200)
    for (const half of [{ code_challenge: undefined }, { code_challenge_method: 'plain' }]) {
      const refused = await authorize(service, authorizationQuery(client.clientId, half))
      expect(redirectOf(refused).error).toBe('invalid_request')
    }
  })

  it('AQ-20: is never public, and never self-registered', async () => {
    const service = openService()
    const open = { ...ZAP, tokenEndpointAuthMethod: 'none' }
    await expect(service.server.clients.add(open)).rejects.toThrow('PKCE is the only protection')
    await expect(
      service.server.clients.add({ ...ZAP, pkceOptional: false, nonceOptional: true }),
    ).rejects.toThrow('nonceOptional: only together with pkceOptional')
    const usual = await service.server.clients.add({ ...ZAP, pkceOptional: false })
    const itself = await register(service, {
      pkce: 'optional',
      token_endpoint_auth_method: 'client_secret_post',
    })
    for (const { clientId: client_id } of [usual, itself]) {
      const refused = await authorize(service, authorizationQuery(client_id, NO_CHALLENGE))
      expect(redirectOf(refused).error_description).toContain('code_challenge is missing')
    }
  })
})
