import { createServer } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { App, REDIRECT_URI } from './app.ts'
import { onTheService } from './on-both-stores.ts'
import { expectError, expectPage, expectRedirect } from './safe-answers.ts'

/** Dynamic client registration, and its errors. */

const CB = 'http://127.0.0.1:7001/cb'

onTheService('registration', (bench) => {
  const register = (metadata: unknown) => bench.postJson('/api/oauth/register', metadata)

  it('DR-01, REQ-24: a name is escaped on the consent page, marked as unverified, next to the redirect target', async () => {
    const name = '<img src=x onerror="window.__xss=1">Course Platform (official)\'"&'
    const app = await App.register(bench, { client_name: name })
    const redirect_uri = 'http://127.0.0.1:7001/cb'
    const { page } = await app.consentForm(app.query({ redirect_uri }))
    expect(page).not.toContain('<img src=x')
    expect(page).toContain('&lt;img src=x onerror=')
    expect(page).toContain('Not verified: it chose this name itself.')
    expect(page).toMatch(/Sends you to<\/dt><dd><bdi[^>]*>127\.0\.0\.1:7001<\/bdi>/)
    expect(page, 'and the whole of it on demand').toMatch(
      new RegExp(`<details><summary>[^<]*</summary><code[^>]*>${redirect_uri}</code></details>`),
    )
  })

  it('DR-02, REQ-65: a link that is not a plain https page is refused, and none is ever fetched', async () => {
    const canary = await listenForNoRequest()
    const links = ['javascript:alert(1)', 'data:text/html,x', 'file:///etc', '//evil', 'ftp://a']
    for (const member of ['logo_uri', 'client_uri', 'tos_uri', 'policy_uri'])
      for (const link of [...links, 'https://', 'https://a b', 1, ['x']])
        expectError(
          await register({ redirect_uris: [CB], [member]: link }),
          'invalid_client_metadata',
          `${link}`,
        )
    const http = `http://127.0.0.1:${canary.port}/`
    const dropped = await register({ redirect_uris: [CB], logo_uri: http, client_uri: http })
    expect([dropped.status, dropped.body.includes(String(canary.port))]).toEqual([201, false])
    const app = await App.register(bench, { logo_uri: `https://127.0.0.1:${canary.port}/logo.png` })
    const { page } = await app.consentForm(app.query())
    expect(page).not.toContain(String(canary.port))
    expect(canary.connections()).toBe(0)
  })

  it('DR-04, REQ-63: members that only the server decides are ignored if a client sends them', async () => {
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
    const app = await App.register(bench, { token_endpoint_auth_method: 'client_secret_post', ...privileged })
    const victim = await App.register(bench, {}, 'bob')
    const { access_token } = await victim.tokens()
    await app.tokens()
    expect((await app.authorize()).body, 'consent is requested again').toContain('name="ticket"')
    const seen = await bench.post('/api/oauth/introspect', { token: access_token, ...app.credentials })
    expect(seen.json()).toEqual({ active: false })
    expectRedirect(app, await app.authorize({ code_challenge: undefined }), 'invalid_request')
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

  it('D12: an unknown client gets a 401 and a page that say to register again', async () => {
    const app = await App.register(bench)
    const query = app.query({ client_id: 'gone' })
    expectPage(await bench.send(`/oauth/authorize?${query}`))
    expect((await bench.send(`/oauth/authorize?${query}`)).body).toMatch(/register again/)
    expectError(await app.refresh('gkr_x', { client_id: 'gone' }), 'invalid_client', '', [401])
  })

  it('D13: an https redirect URI needs an integration, and works like any other', async () => {
    const zap = await App.arrange(bench, {})
    expect(zap.redirectUri).toBe('https://zap.example/cb')
    expect((await zap.tokens()).access_token).toMatch(/^gka_/)
    expectPage(await zap.authorize({ redirect_uri: REDIRECT_URI }))
  })
})

async function listenForNoRequest() {
  let connections = 0
  const server = createServer((socket) => {
    connections++
    socket.destroy()
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  onTestFinished(() => void server.close())
  return { port: (server.address() as { port: number }).port, connections: () => connections }
}
