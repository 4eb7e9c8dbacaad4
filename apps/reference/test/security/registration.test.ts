import { createServer } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { App, REDIRECT_URI } from './app.ts'
import { onBothStores } from './on-both-stores.ts'
import { expectError, expectPage, expectRedirect } from './safe-answers.ts'

/** What may register itself, and what becomes of everything else. */

const CB = 'http://127.0.0.1:7001/cb'

/** By row: redirect URIs that are refused, each alone and beside a good one. */
const REFUSED_URIS: Record<string, readonly string[]> = {
  'RR-01, REQ-60: https is refused, also on a loopback address': [
    'https://app.example/cb',
    'https://127.0.0.1/cb',
    'https://localhost/cb',
  ],
  'RR-02, REQ-60: a host that only looks like loopback is refused': [
    'http://127.0.0.1.evil.com/cb',
    'http://evil.com/127.0.0.1',
    'http://localhost.evil.com/',
    'http://evil.com?x=127.0.0.1',
    'http://127.0.0.1@evil.com/cb',
    'http://user:pw@127.0.0.1/cb',
    'http://evil.com#@127.0.0.1/',
    'http://127.0.0.1\\@evil.com/',
    'http://[::1].evil.com/',
    'http://[::ffff:127.0.0.1]/cb',
    'http://2130706433/cb',
    'http://0x7f.1/cb',
    'http://127.1/cb',
    'http://127.0.0.2/cb',
    'http://0.0.0.0/cb',
    '//127.0.0.1/cb',
    '127.0.0.1/cb',
    'http:127.0.0.1/cb',
    'http:///127.0.0.1/cb',
    'http://127。0。0。1/cb',
  ],
  'RR-04, REQ-60: a fragment is refused, even an empty one': [`${CB}#x`, `${CB}#`],
  'RR-06, REQ-60: a scheme that is not http is refused, however it is written': [
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)//http://127.0.0.1/',
    'data:text/html,x',
    'vbscript:x',
    'file:///etc/passwd',
    'blob:http://127.0.0.1/x',
    'intent://127.0.0.1/#Intent;end',
    'com.example.app:/cb',
    ' javascript:alert(1)',
    '\tjavascript:alert(1)',
    'java\nscript:alert(1)',
    ` ${CB}`,
    `${CB}\n`,
    'http://127.0.0.1/%0ajavascript:alert(1)',
    'HTTP://127.0.0.1/cb',
  ],
  'RR-08, REQ-60: a pattern is refused': [
    'http://127.0.0.1:*/cb',
    'http://127.0.0.1/*',
    'http://127x0.0.1/',
    'http://*.0.0.1/',
    'http://127.0.0.1/[a-z]+',
    'http://127.0.0.1/{x}',
  ],
  'RR-09: a port that is none is refused': ['0', '65536', '99999999999', '-1', '+80', '08', '', '80a'].map(
    (port) => `http://127.0.0.1:${port}/cb`,
  ),
}

onBothStores('registration', (bench) => {
  const register = (metadata: unknown) => bench.postJson('/api/oauth/register', metadata)

  for (const [row, uris] of Object.entries(REFUSED_URIS)) {
    it(row, async () => {
      for (const uri of uris) {
        expectError(await register({ redirect_uris: [uri] }), 'invalid_redirect_uri', uri)
        expectError(await register({ redirect_uris: [CB, uri] }), 'invalid_redirect_uri', uri)
      }
    })
  }

  it('RR-11: a list that is none, or is too much, is refused whole', async () => {
    const lists = [
      undefined,
      [],
      'str',
      null,
      [null],
      [1],
      [[CB]],
      {},
      Array(11).fill(CB),
      Array(10_000).fill('a'),
    ]
    for (const redirect_uris of [...lists, [`${CB}/${'x'.repeat(10_000)}`], [CB, 'https://a.example'], ['']])
      expectError(
        await register({ redirect_uris }),
        ['invalid_redirect_uri', 'invalid_client_metadata'],
        JSON.stringify(redirect_uris)?.slice(0, 80),
      )
  })

  it('D2: the two loopback addresses and localhost are taken, and kept as they were sent', async () => {
    for (const uri of ['http://127.0.0.1/', 'http://[::1]:8080/cb?a=1', 'http://localhost:3000/cb']) {
      const { redirect_uris, application_type } = (await register({ redirect_uris: [uri] })).json()
      expect([redirect_uris, application_type]).toEqual([[uri], 'native'])
    }
  })

  it('D6: a list with https among loopback addresses is refused, with a verdict on each', async () => {
    const answer = await register({ redirect_uris: [CB, 'https://app.example/cb'] })
    expectError(answer, 'invalid_redirect_uri')
    expect(answer.json().error_description).toMatch(
      /^redirect_uris\[0\]: accepted; redirect_uris\[1\]: not a loop/,
    )
  })

  it('D8, REQ-59, REQ-61: what is left out is filled in, said in the answer, and managed by nobody', async () => {
    const answer = await register({ redirect_uris: [CB] })
    expect([answer.status, answer.header('content-type')]).toEqual([201, 'application/json'])
    expect(answer.header('cache-control')).toBe('no-store')
    expect(answer.json()).toEqual({
      client_id: expect.stringMatching(/^[0-9a-f]{32}$/),
      client_id_issued_at: expect.any(Number),
      redirect_uris: [CB],
      application_type: 'native',
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      id_token_signed_response_alg: 'RS256',
    })
  })

  it('REQ-59: only a confidential client gets a secret, once, that does not expire', async () => {
    const answer = await register({ redirect_uris: [CB], token_endpoint_auth_method: 'client_secret_post' })
    const { client_secret, client_secret_expires_at } = answer.json()
    expect([client_secret, client_secret_expires_at]).toEqual([expect.stringMatching(/^[\w-]{43}$/), 0])
  })

  it('D7, REQ-62: a grant type or response type that is not offered is dropped, and the answer shows it', async () => {
    const asked = {
      application_type: 'web',
      grant_types: ['authorization_code', 'implicit', 'password', 'client_credentials'],
      response_types: ['code', 'token', 'id_token'],
    }
    const answer = await register({ redirect_uris: [CB], ...asked })
    expect(answer.json()).toMatchObject({ grant_types: ['authorization_code'], response_types: ['code'] })
    for (const never of [{ grant_types: ['implicit'] }, { response_types: ['token'] }])
      expectError(await register({ redirect_uris: [CB], ...never }), 'invalid_client_metadata')
  })

  describe('the name of a client', () => {
    it('DR-01, REQ-24: a name stands escaped on the consent page, said to be unverified, beside where it leads', async () => {
      const name = '<img src=x onerror="window.__xss=1">Course Platform (official)\'"&'
      const app = await bench.app({ client_name: name })
      const { page } = await app.consentForm(app.query())
      expect(page).not.toContain('<img src=x')
      expect(page).toContain('&lt;img src=x onerror=')
      expect(page).toMatch(/unverified/i)
      expect(page).toContain('127.0.0.1:7001')
    })

    it('DR-01, REQ-64: a name that deceives, is empty or is too long is refused', async () => {
      const names = [
        'abc\u202edef',
        'a\u200bb',
        'a\u0000b',
        'a\nb',
        '\u2066x',
        '',
        '   ',
        'x'.repeat(10_000),
        1,
        [],
        {},
      ]
      for (const client_name of names)
        expectError(await register({ redirect_uris: [CB], client_name }), 'invalid_client_metadata')
    })
  })

  it('DR-02, REQ-65: a link that is not a plain https page is refused, and none is ever fetched', async () => {
    const canary = await listenForNobody()
    const links = [
      'javascript:alert(1)',
      'data:text/html,x',
      'http://a.example',
      'file:///etc',
      '//evil',
      'ftp://a',
    ]
    for (const member of ['logo_uri', 'client_uri', 'tos_uri', 'policy_uri'])
      for (const link of [...links, `http://127.0.0.1:${canary.port}/`, 'https://', 'https://a b', 1, ['x']])
        expectError(
          await register({ redirect_uris: [CB], [member]: link }),
          'invalid_client_metadata',
          `${link}`,
        )
    const app = await bench.app({ logo_uri: `https://127.0.0.1:${canary.port}/logo.png` })
    const { page } = await app.consentForm(app.query())
    expect(page).not.toContain(String(canary.port))
    expect(canary.connections()).toBe(0)
  })

  it('DR-04, REQ-63: what only the server decides is not honoured when a client sends it', async () => {
    const privileged = {
      client_id: 'chosen',
      client_secret: 'chosen-secret-chosen-secret',
      skip_consent: true,
      trusted: true,
      first_party: true,
      require_pkce: false,
      resource_server: true,
      resourceServer: true,
      remember_consent: true,
      rememberConsent: true,
      origin: 'integration',
      expiresAt: 9e15,
      registration_access_token: 'mine',
    }
    const answer = await register({
      redirect_uris: [CB],
      token_endpoint_auth_method: 'client_secret_post',
      ...privileged,
    })
    const { client_id, client_secret, ...echo } = answer.json()
    expect(client_id).not.toBe('chosen')
    expect(client_secret).not.toBe(privileged.client_secret)
    const allowed = ['client_id_issued_at', 'client_secret_expires_at']
    for (const member of Object.keys(privileged))
      expect(allowed.includes(member) || !(member in echo)).toBe(true)
    const app = await bench.app({ token_endpoint_auth_method: 'client_secret_post', ...privileged })
    const victim = await bench.app({}, 'bob')
    const { access_token } = await victim.tokens()
    await app.tokens()
    expect((await app.authorize()).body, 'it is asked for again').toContain('name="ticket"')
    const seen = await bench.post('/api/oauth/introspect', { token: access_token, ...app.credentials })
    expect(seen.json()).toEqual({ active: false })
    expectRedirect(app, await app.authorize({ code_challenge: undefined }), 'invalid_request')
  })

  it('DR-06: a way to authenticate that is not offered is refused', async () => {
    for (const token_endpoint_auth_method of [
      'client_secret_basic',
      'private_key_jwt',
      'NONE',
      'none ',
      '',
      [],
      1,
      {},
    ])
      expectError(
        await register({ redirect_uris: [CB], token_endpoint_auth_method }),
        'invalid_client_metadata',
        `${token_endpoint_auth_method}`,
      )
  })

  it('DR-07, REQ-63: scopes of other servers are dropped, and nothing beyond the registered ones is ever given', async () => {
    const scope = 'openid openid courses:read admin:everything'
    const app = await bench.app({ scope })
    const answer = await register({ redirect_uris: [CB], scope })
    expect(answer.json().scope).toBe('openid courses:read')
    expectRedirect(app, await app.authorize({ scope: 'openid students:read' }), 'invalid_scope')
    for (const bad of ['admin:everything', '', 'x '.repeat(25_000), 'a  b', '"', 1, []])
      expectError(
        await register({ redirect_uris: [CB], scope: bad }),
        'invalid_client_metadata',
        `${bad}`.slice(0, 20),
      )
  })

  it('DR-08, REQ-59: a body that is no JSON object in UTF-8 is refused as such', async () => {
    const good = JSON.stringify({ redirect_uris: [CB] })
    const send = (type: string | undefined, body: string | Uint8Array) =>
      bench.send('/api/oauth/register', {
        method: 'POST',
        headers: type === undefined ? [] : [['Content-Type', type]],
        body,
      })
    const types = [
      'application/x-www-form-urlencoded',
      'text/plain',
      undefined,
      'application/json; charset=utf-16',
    ]
    for (const type of [...types, 'application/json, text/plain', 'multipart/form-data; boundary=x', 'json'])
      expectError(await send(type, good), 'invalid_request', type, [400, 415])
    const bodies = [`\ufeff${good}`, 'null', '[]', '1', '"x"', `${good}x`, '', '{', `${good}${good}`, '\0']
    for (const body of [
      ...bodies,
      Uint8Array.of(0x7b, 0xff, 0xfe, 0x7d),
      `{"redirect_uris":${'['.repeat(9000)}`,
    ])
      expectError(
        await send('application/json', body),
        ['invalid_request', 'invalid_redirect_uri', 'invalid_client_metadata'],
        String(body).slice(0, 40),
        [400, 415],
      )
  })

  it('REQ-64: a body of more than 64 KiB is refused unread', async () => {
    const answer = await register(JSON.stringify({ redirect_uris: [CB], padding: 'x'.repeat(65_536) }))
    expectError(answer, 'invalid_request', '', [413])
  })

  it('DR-04: a hostile member name changes nothing for anybody', async () => {
    const hostile =
      '{"redirect_uris":["http://127.0.0.1:7001/cb"],"__proto__":{"trusted":true},"constructor":{"prototype":{}}}'
    expect((await register(hostile)).status).toBe(201)
    expect((await register({ redirect_uris: [CB] })).json()).not.toHaveProperty('trusted')
  })

  it('D12: a client that is not known is told to register again, by 401 and by a page', async () => {
    const app = await bench.app()
    const query = app.query({ client_id: 'gone' })
    expectPage(await bench.send(`/oauth/authorize?${query}`))
    expect((await bench.send(`/oauth/authorize?${query}`)).body).toMatch(/register again/)
    expectError(await app.refresh('gkr_x', { client_id: 'gone' }), 'invalid_client', '', [401])
  })

  it('D13: an address on https is arranged by the operator, and works like any other', async () => {
    const zap = await App.arrange(bench, {})
    expect(zap.redirectUri).toBe('https://zap.example/cb')
    expect((await zap.tokens()).access_token).toMatch(/^gka_/)
    expectPage(await zap.authorize({ redirect_uri: REDIRECT_URI }))
  })
})

async function listenForNobody() {
  let connections = 0
  const server = createServer((socket) => {
    connections++
    socket.destroy()
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  onTestFinished(() => void server.close())
  return { port: (server.address() as { port: number }).port, connections: () => connections }
}
