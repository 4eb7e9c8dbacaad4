import { describe, expect, it } from 'vitest'
import { bodyOf, credentials } from './client.ts'
import { openService, REDIRECT_URI, type Service } from './service.ts'

function registerAs(service: Service, json: unknown) {
  return service.send('POST', '/api/oauth/register', { json })
}

const JSON_TYPE = { 'content-type': 'application/json' }
const within = (codePoint: number) => `a${String.fromCodePoint(codePoint)}b`
/** Default-ignorable and bidi characters, which are invisible, a control and a private one. */
const INVISIBLE = [
  ...[0, 0xad, 0x34f, 0x61c, 0x115f, 0x17b4, 0x180e, 0x200b, 0x200c, 0x200d, 0x200f, 0x202e, 0x2062, 0x2066],
  ...[0x2069, 0x3164, 0xf8ff, 0xfe0f, 0xffa0, 0x1d173, 0xe0041, 0xe0100],
]
const NO_NAMES = [
  ...['   ', 'n'.repeat(201), 'x'.repeat(10_000), 1, [], {}],
  // Nothing to read is left.
  ...['()', '—', '\u2800', '\u00a0', '\u3164', '\u0301', '...', '\u202e\u2066', '\u200d'],
]
const NOT_OFFERED = ['client_secret_jwt', 'private_key_jwt', 'NONE', 'none ', [], 1, {}]
const NO_SCOPES = ['admin:everything', 'offline_access', 'x '.repeat(25_000), 'openid  profile', '"', 1, []]

describe('registration', () => {
  it('has no token in its event, whatever name the client chose', async () => {
    const service = openService()
    const token = `gkr_${'g'.repeat(22)}.${'f'.repeat(22)}.0.${'s'.repeat(43)}`
    const json = { client_name: token, redirect_uris: [REDIRECT_URI] }
    expect(bodyOf(await registerAs(service, json))).toMatchObject({ client_name: token })
    expect(service.events.at(-1)).toMatchObject({ clientName: `gkr_${'g'.repeat(22)}` })
  })

  it('D8, REQ-59, REQ-61: missing members get defaults, which the response shows, and there is no management endpoint', async () => {
    const service = openService()
    const response = await registerAs(service, { client_name: 'CLI', redirect_uris: [REDIRECT_URI] })
    expect(response.status).toBe(201)
    expect(response.headers).toMatchObject({
      'content-type': 'application/json',
      'cache-control': 'no-store',
    })
    expect(bodyOf(response)).toEqual({
      client_id: expect.stringMatching(/^[0-9a-f]{32}$/),
      client_id_issued_at: service.clock.now,
      client_name: 'CLI',
      application_type: 'native',
      redirect_uris: [REDIRECT_URI],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      id_token_signed_response_alg: 'RS256',
    })
  })

  it('REQ-59: only a confidential client gets a secret, once, that does not expire', async () => {
    const body = bodyOf(
      await registerAs(openService(), {
        redirect_uris: [REDIRECT_URI],
        token_endpoint_auth_method: 'client_secret_post',
      }),
    )
    expect(body).toMatchObject({
      client_secret: expect.stringMatching(/^[\w-]{43}$/),
      client_secret_expires_at: 0,
    })
  })

  it.each([
    ['an unknown application type', { application_type: 'toaster' }],
    [
      'a page of another scheme that ends like one of https',
      { client_uri: 'javascript:https://app.example' },
    ],
    ['a page with a space in its address', { client_uri: 'https://app.example/a b' }],
  ])('refuses %s with invalid_client_metadata', async (_, metadata) => {
    const response = await registerAs(openService(), { redirect_uris: [REDIRECT_URI], ...metadata })
    expect([response.status, bodyOf(response).error]).toEqual([400, 'invalid_client_metadata'])
  })

  it.each([
    ['DR-01, REQ-64: a name that is empty or too long is refused', 'client_name', NO_NAMES],
    [
      'DR-06: a way to authenticate that is not offered is refused',
      'token_endpoint_auth_method',
      NOT_OFFERED,
    ],
    ['REQ-63: a scope that is none, or of other servers alone, is refused', 'scope', NO_SCOPES],
  ])('%s', async (_, member, values) => {
    for (const value of values) {
      const response = await registerAs(openService(), { redirect_uris: [REDIRECT_URI], [member]: value })
      const about = JSON.stringify(value)?.slice(0, 40)
      expect([response.status, bodyOf(response).error], about).toEqual([400, 'invalid_client_metadata'])
    }
  })

  it('REQ-63: an empty scope counts as absent, since clients join an empty list', async () => {
    const response = await registerAs(openService(), { redirect_uris: [REDIRECT_URI], scope: '' })
    expect(response.status).toBe(201)
    expect(bodyOf(response)).not.toHaveProperty('scope')
  })

  it('DR-04: a hostile member name has no effect on any client', async () => {
    const service = openService()
    const hostile = `{"redirect_uris":["${REDIRECT_URI}"],"__proto__":{"trusted":true},"constructor":{"prototype":{}}}`
    const headers = { 'content-type': 'application/json' }
    expect((await service.send('POST', '/api/oauth/register', { form: hostile, headers })).status).toBe(201)
    const next = bodyOf(await registerAs(service, { redirect_uris: [REDIRECT_URI] }))
    expect(next).not.toHaveProperty('trusted')
  })

  it.each<[object, string, string?]>([
    [{ client_uri: 'ftp://app.example' }, 'client_uri: must be an https URL'],
    [{ grant_types: ['implicit'] }, 'grant_types: must include authorization_code'],
    [{ response_types: ['token'] }, 'response_types: must include code'],
    [{ client_name: '()!' }, 'client_name: must have a letter, a digit or an emoji'],
    [{ scope: 'courses:delete other' }, 'scope: names no scope of this server: courses:delete'],
    [{ scope: 'x'.repeat(200) }, `scope: names no scope of this server: ${'x'.repeat(100)}`],
    [{ scope: ['courses:read'] }, 'scope: Invalid input: expected string, received array'],
    [{ redirect_uris: [] }, 'redirect_uris: must not be empty', 'invalid_redirect_uri'],
  ])('names the fault of %j', async (metadata, error_description, error = 'invalid_client_metadata') => {
    const response = await registerAs(openService(), { redirect_uris: [REDIRECT_URI], ...metadata })
    expect(bodyOf(response)).toEqual({ error, error_description })
  })

  it('refuses metadata of more than 4096 bytes, without the scopes of the server', async () => {
    const pages = (length: number) => ({
      client_uri: `https://app.example/${'p'.repeat(length)}`,
      tos_uri: `https://app.example/${'t'.repeat(length)}`,
    })
    const send = async (json: object) =>
      bodyOf(await registerAs(openService(), { redirect_uris: [REDIRECT_URI], ...json }))
    const { error, error_description } = await send(pages(2000))
    expect(error).toBe('invalid_client_metadata')
    expect(error_description).toMatch(/too long: \d+ bytes without the scope. Send at most 4096$/)
    const scope = `courses:read ${'other:scope '.repeat(300)}`.trim()
    expect(await send({ ...pages(1800), scope })).toHaveProperty('client_id')
    expect(await send({ unknown: 'u'.repeat(9000) }), 'what is not kept').toHaveProperty('client_id')
  })

  it('keeps a name in NFC, and each of its blanks as one space', async () => {
    const client_name = ' Re\u0301sume\u0301\u00a0\u3000 2 '
    const response = await registerAs(openService(), { redirect_uris: [REDIRECT_URI], client_name })
    expect(bodyOf(response).client_name).toBe('Résumé 2')
  })

  it('DR-01, REQ-64: a name that deceives is cleaned, and the response shows it', async () => {
    const service = openService()
    const nameOf = async (client_name: string) =>
      bodyOf(await registerAs(service, { redirect_uris: [REDIRECT_URI], client_name })).client_name
    for (const codePoint of INVISIBLE)
      expect([codePoint, await nameOf(within(codePoint))]).toEqual([codePoint, 'ab'])
    expect(await nameOf('a\nb\u2028c')).toBe('a b c')
    expect(await nameOf(`a${'\u0301'.repeat(190)}`)).toBe('á\u0301\u0301')
  })

  const EMOJI = ['Café ☕\ufe0f', '👩\u200d💻 Dev Tools', '🎓']
  const JOINED = ['نرم\u200cافزار من', 'क्\u200dष ऐप']
  it.each([
    'Zürich 2',
    '日本語',
    'مدرسة',
    'שלום',
    'नमस्ते',
    '7',
    'C++ (beta) — 🎓',
    'e\u0301te',
    ...EMOJI,
    ...JOINED,
  ])('takes the name %j', async (client_name) => {
    const response = await registerAs(openService(), { redirect_uris: [REDIRECT_URI], client_name })
    expect([response.status, bodyOf(response).client_name]).toEqual([201, client_name.normalize()])
  })

  it('takes Ed25519 for EdDSA, its newer name (RFC 9864), and the response has the name in ID tokens', async () => {
    const metadata = { redirect_uris: [REDIRECT_URI], id_token_signed_response_alg: 'Ed25519' }
    const answer = bodyOf(await registerAs(openService(), metadata))
    expect(answer.id_token_signed_response_alg).toBe('EdDSA')
  })

  it('names an algorithm of ID tokens only where there are ID tokens', async () => {
    const scopes = { 'courses:read': { description: 'Read' } }
    const named = async (overrides: object) =>
      bodyOf(await registerAs(openService(overrides), { redirect_uris: [REDIRECT_URI] }))
    expect(await named({ scopes })).not.toHaveProperty('id_token_signed_response_alg')
    expect(await named({ scopes, keys: [] })).not.toHaveProperty('id_token_signed_response_alg')
    expect(await named({})).toMatchObject({ id_token_signed_response_alg: 'RS256' })
  })

  it('registers a loopback redirect URI for a web application that asks for it', async () => {
    const metadata = { redirect_uris: [REDIRECT_URI], application_type: 'web' }
    expect(bodyOf(await registerAs(openService(), metadata))).toMatchObject(metadata)
  })

  it('D7, DR-07, REQ-62, REQ-63: unsupported values are dropped, and the response shows it', async () => {
    const json = {
      redirect_uris: [REDIRECT_URI],
      grant_types: ['authorization_code', 'implicit', 'password', 'client_credentials', 'urn:unknown'],
      response_types: ['code', 'token', 'id_token'],
      scope: 'openid openid offline_access courses:read admin:everything',
    }
    expect(bodyOf(await registerAs(openService(), json))).toMatchObject({
      grant_types: ['authorization_code'],
      response_types: ['code'],
      scope: 'openid courses:read',
    })
  })

  it('DR-04, REQ-63: ignores members that a client must not decide', async () => {
    const chosen = {
      client_id: 'mine',
      client_secret: 'mine',
      ...{ skip_consent: true, trusted: true, first_party: true, require_pkce: false },
      ...{ origin: 'integration', expiresAt: 9e15 },
      ...{ resource_server: true, resourceServer: true, remember_consent: true, rememberConsent: true },
    }
    const service = openService()
    const body = bodyOf(
      await registerAs(service, { redirect_uris: [REDIRECT_URI], ...chosen, registration_access_token: 'x' }),
    )
    expect(body.client_id).not.toBe('mine')
    for (const member of Object.keys(chosen).slice(1)) expect(body).not.toHaveProperty(member)
    const stored = (await service.store.clients.find(String(body.client_id)))?.value
    expect(stored).toMatchObject({ origin: 'registered', expiresAt: service.clock.now + 24 * 3600 })
    expect([stored?.resourceServer, stored?.rememberConsent]).toEqual([undefined, undefined])
  })

  it.each<[string, Parameters<Service['send']>[2], number, string?]>([
    ['a form', { form: 'a=b' }, 415],
    ['JSON in UTF-16', { form: '{}', headers: { 'content-type': 'application/json; charset=utf-16' } }, 415],
    ['JSON and text', { form: '{}', headers: { 'content-type': 'application/json, text/plain' } }, 415],
    ['broken JSON', { form: '{"a":', headers: JSON_TYPE }, 400],
    ['two objects', { form: '{}{}', headers: JSON_TYPE }, 400],
    ['a byte order mark', { form: '\ufeff{}', headers: JSON_TYPE }, 400],
    ['deep lists', { form: `{"redirect_uris":${'['.repeat(9000)}`, headers: JSON_TYPE }, 400],
    ['null', { json: null }, 400, 'invalid_client_metadata'],
    ['a list', { json: [] }, 400, 'invalid_client_metadata'],
    ['a number', { json: 1 }, 400, 'invalid_client_metadata'],
    ['nothing', {}, 415],
  ])(
    'DR-08, REQ-59: a body that is no JSON object in UTF-8 is an OAuth error: %s',
    async (_, message, status, error = 'invalid_request') => {
      const response = await openService().send('POST', '/api/oauth/register', message)
      expect(response.status).toBe(status)
      expect(bodyOf(response)).toEqual({ error, error_description: expect.any(String) })
    },
  )

  it('deletes a client without an approval within a day', async () => {
    const service = openService()
    const { client_id } = bodyOf<{ client_id: string }>(
      await registerAs(service, { redirect_uris: [REDIRECT_URI] }),
    )
    service.clock.now += 24 * 3600 - 1
    expect(await service.store.clients.find(client_id)).toBeDefined()
    service.clock.now += 1
    expect(await service.store.clients.find(client_id)).toBeUndefined()
  })
})

describe('clients.add', () => {
  it('D13: adds a client that cannot register itself: with a fixed https callback', async () => {
    const service = openService()
    const added = await service.server.clients.add({
      clientName: 'Zap',
      redirectUris: ['https://zap.example/cb'],
    })
    expect(added).toMatchObject({
      tokenEndpointAuthMethod: 'client_secret_post',
      clientSecret: expect.any(String),
      applicationType: 'web',
    })
    expect((await service.store.clients.find(added.clientId))?.value).toMatchObject({ origin: 'integration' })
    expect(Object.keys(credentials(added))).toEqual(['client_id', 'client_secret'])
  })

  it('rejects snake_case names, which would have no effect', async () => {
    const input = { clientName: 'Zap', redirectUris: ['https://zap.example/cb'] }
    const add = (more: object) => openService().server.clients.add({ ...input, ...more })
    await expect(add({ dpop_bound_access_tokens: true })).rejects.toThrow('members are in camelCase')
    await expect(add({ scope: 'courses:read' })).rejects.toThrow('scope: use scopes, which is a list')
    await expect(add({ scopes: [] })).rejects.toThrow('names no scope of this server')
  })

  it('refuses no redirect URI', async () => {
    await expect(
      openService().server.clients.add({ clientName: 'x', redirectUris: [] }),
    ).rejects.toMatchObject({ error: 'invalid_redirect_uri' })
  })

  it('treats an empty string and null as an absent member, for every member', async () => {
    const members = [
      ...['client_name', 'application_type', 'token_endpoint_auth_method', 'grant_types', 'response_types'],
      ...['scope', 'id_token_signed_response_alg', 'client_uri', 'logo_uri', 'tos_uri', 'policy_uri'],
      ...['contacts', 'software_id', 'software_version', 'jwks_uri'],
    ]
    const information = async (json: object) => {
      const answer = await registerAs(openService(), { redirect_uris: [REDIRECT_URI], ...json })
      const { client_id: _, ...rest } = bodyOf(answer)
      return [answer.status, rest]
    }
    const plain = await information({})
    for (const nothing of ['', null])
      expect(await information(Object.fromEntries(members.map((name) => [name, nothing])))).toEqual(plain)
    const nowhere = await registerAs(openService(), { redirect_uris: null })
    expect(bodyOf(nowhere).error_description).toBe('redirect_uris is missing')
  })

  it('DR-02, REQ-65: drops links over plain http, shows it in its response, and rejects any other scheme', async () => {
    const service = openService()
    const links = {
      client_uri: 'http://a.example/',
      logo_uri: 'http://a.example/l',
      tos_uri: 'http://a',
      policy_uri: 'https://b',
    }
    const answer = await registerAs(service, { redirect_uris: [REDIRECT_URI], ...links })
    expect(answer.status).toBe(201)
    const names = Object.keys(bodyOf(answer)).filter((name) => name in links)
    expect(names, 'what took effect (RFC 7591 3.2.1)').toEqual(['policy_uri'])
    for (const link of [
      'javascript:alert(1)',
      'ftp://a.example',
      'HTTP//',
      'http://a b',
      'data:,x',
      '//a.example',
      'file:///etc',
      'https://',
      'https://a b',
    ])
      for (const name of Object.keys(links)) {
        const refused = await registerAs(service, { redirect_uris: [REDIRECT_URI], [name]: link })
        expect([refused.status, bodyOf(refused).error], link).toEqual([400, 'invalid_client_metadata'])
      }
  })
})
