import { createServer } from 'node:net'
import { formEncoded } from '@grantkit/testkit/client'
import { describe, expect, it, onTestFinished } from 'vitest'
import { App } from './app.ts'
import { later, onTheService } from './on-both-stores.ts'
import { expectError, expectPage, expectRedirect } from './safe-answers.ts'

/** The authorization request: errors on a page, errors by redirect, and requests that reach the user. */

onTheService('the authorization request', (bench) => {
  describe('a redirect URI', () => {
    it('RA-01, REQ-11: an unregistered redirect URI gets no redirect, for any client', async () => {
      for (const app of [await App.register(bench), await App.arrange(bench, {})])
        for (const redirect_uri of [
          'https://evil.example/cb',
          'http://evil.example/<script>alert(1)</script>',
        ])
          for (const prompt of [undefined, 'none'])
            for (const answer of [
              await app.authorize({ redirect_uri, prompt }),
              await app.askSignedOut({ redirect_uri, prompt }),
            ]) {
              expectPage(answer)
              expect(answer.body).not.toContain('evil.example')
            }
    })

    it('RA-02, REQ-12: a redirect URI that differs from the registered one in more than a loopback port gets no redirect', async () => {
      const registered = 'http://127.0.0.1:7001/cb?a=1'
      const app = await App.arrange(bench, { redirectUris: [registered] })
      const changed = [
        `${registered}&b=2`,
        'http://127.0.0.1:7001/cb',
        'http://127.0.0.1:7001/cb?',
        'http://127.0.0.1:7001/cb/?a=1',
        'http://127.0.0.1:7001/cb/x?a=1',
        'http://127.0.0.1:7001/cbx?a=1',
        'http://127.0.0.1:7001/CB?a=1',
        'http://127.0.0.1:7001/%63b?a=1',
        'http://127.0.0.1:7001/x/../cb?a=1',
        'HTTP://127.0.0.1:7001/cb?a=1',
        'http://127.0.0.1:7001//cb?a=1',
        'http://localhost:7001/cb?a=1',
        'http://[::1]:7001/cb?a=1',
        'http://127.0.0.1:7001\\@evil.example/cb?a=1',
        'http://a@127.0.0.1:7001/cb?a=1',
        `${registered}#f`,
        ` ${registered}`,
        `${registered} `,
        `${registered}\r\n`,
      ]
      for (const redirect_uri of changed) expectPage(await app.authorize({ redirect_uri }), redirect_uri)
    })

    it('RA-03, REQ-13, REQ-12: a native app may use another port, and must repeat the same one at the token endpoint', async () => {
      const app = await App.register(bench)
      const redirect_uri = 'http://127.0.0.1:65000/cb'
      const answer = await app.approve({ redirect_uri })
      expect(answer.header('location')).toMatch(/^http:\/\/127\.0\.0\.1:65000\/cb\?/)
      const code = bench.keepSecret(answer.redirected().get('code') ?? '')
      expectError(await app.redeem(code), 'invalid_grant')
      expect((await app.redeem(code, { redirect_uri })).status).toBe(200)
    })

    it('D2, REQ-12: the name localhost takes any port, and is never an address', async () => {
      const app = await App.register(bench, { redirect_uris: ['http://localhost/cb'] })
      for (const redirect_uri of ['http://127.0.0.1/cb', 'http://[::1]:7002/cb', 'http://LOCALHOST/cb'])
        expectPage(await app.authorize({ redirect_uri }), redirect_uri)
      const redirect_uri = 'http://localhost:7002/cb'
      const answer = await app.approve({ redirect_uri })
      expect(answer.header('location')).toMatch(/^http:\/\/localhost:7002\/cb\?/)
      const code = bench.keepSecret(answer.redirected().get('code') ?? '')
      expectError(await app.redeem(code), 'invalid_grant')
      expect((await app.redeem(code, { redirect_uri })).status).toBe(200)
    })

    it('RA-05, REQ-10: a repeated redirect_uri is rejected, and one under another parameter name is ignored', async () => {
      const app = await App.register(bench)
      const evil = formEncoded({ redirect_uri: 'https://evil.example/cb' })
      for (const query of [
        `${app.query()}&${evil}`,
        `${evil}&${app.query()}`,
        `${app.query()}&redirect_uri=x`,
      ])
        expectPage(await app.ask(query))
      for (const name of [
        'redirect_uri[]',
        'redirect_uri%00',
        'REDIRECT_URI',
        'Redirect_Uri',
        'redirect_uri%20',
      ])
        expect((await app.ask(`${app.query()}&${name}=https%3A%2F%2Fevil.example`)).body).toContain(
          'name="ticket"',
        )
    })

    it('RA-06, REQ-11: a missing redirect URI is not guessed, even if only one is registered', async () => {
      const app = await App.register(bench)
      for (const redirect_uri of [undefined, '']) expectPage(await app.authorize({ redirect_uri }))
    })

    it('RA-08: a client that is removed before the form is submitted gets no code', async () => {
      const app = await App.register(bench)
      const form = await app.consentForm(app.query())
      bench.fault = async (operation, done) => (operation === 'clients.find' ? undefined : done())
      const answer = await app.submit(form)
      expectPage(answer)
      expect(bench.service.events.some(({ type }) => type === 'consent_granted')).toBe(false)
    })
  })

  it('REQ-11: an unknown client gets no redirect', async () => {
    const app = await App.register(bench)
    for (const client_id of [
      'unknown',
      '',
      undefined,
      'x'.repeat(3000),
      '<script>',
      '../..',
      '__proto__',
      '\0',
    ])
      expectPage(await app.authorize({ client_id }), client_id?.slice(0, 30))
  })

  it('AQ-07, REQ-10: a parameter that is sent twice is rejected, also with equal values', async () => {
    const app = await App.register(bench)
    for (const name of [
      'scope',
      'nonce',
      'code_challenge',
      'response_type',
      'code_challenge_method',
      'prompt',
      'max_age',
    ])
      for (const value of [
        'x',
        new URLSearchParams(app.query({ nonce: 'n', prompt: 'login', max_age: '1' })).get(name) ?? '',
      ])
        expectRedirect(
          app,
          await app.ask(
            `${app.query({ nonce: 'n', prompt: 'login', max_age: '1' })}&${formEncoded({ [name]: value })}`,
          ),
          'invalid_request',
          name,
        )
    const twiceState = await app.ask(`${app.query()}&state=other`)
    expect([twiceState.status, twiceState.redirected().get('error')]).toEqual([303, 'invalid_request'])
    expectPage(await app.ask(`${app.query()}&client_id=${app.id}`))
  })

  it('AQ-09, REQ-17: a request object is rejected, and a request_uri is never fetched', async () => {
    const app = await App.register(bench)
    let connections = 0
    const canary = createServer((socket) => void socket.destroy(void connections++))
    await new Promise<void>((listening) => canary.listen(0, '127.0.0.1', listening))
    onTestFinished(() => void canary.close())
    const { port } = canary.address() as { port: number }
    const objects = {
      request: 'eyJhbGciOiJub25lIn0.e30.',
      request_uri: `http://127.0.0.1:${port}/request.jwt`,
      registration: '{}',
    }
    for (const [name, value] of Object.entries(objects))
      expectRedirect(app, await app.authorize({ [name]: value }), `${name}_not_supported`)
    expect(connections).toBe(0)
  })

  it('REQ-09: GET and POST are the same, unknown parameters are ignored, and their order does not matter', async () => {
    const app = await App.register(bench)
    const reversed = [...new URLSearchParams(app.query())].reverse()
    for (const query of [`${app.query()}&unknown=1&unknown=2&a[b]=c`, formEncoded(reversed)])
      expect((await app.ask(query)).body).toContain('name="ticket"')
    const posted = await bench.post('/oauth/authorize', reversed, [['Cookie', await bench.session('alice')]])
    expect([posted.status, posted.body.includes('name="ticket"')]).toEqual([200, true])
    const asJson = { method: 'POST', headers: [['Content-Type', 'application/json']], body: '{}' } as const
    expectPage(await bench.send('/oauth/authorize', asJson), 'JSON', 415)
  })

  it('REQ-18: state is returned unchanged, even if it is long or unusual, and only if it was sent', async () => {
    const app = await App.register(bench)
    const states = [
      'a+b c%20&=?#/',
      '€😀"<>\'\\',
      'x'.repeat(2048),
      '\r\nSet-Cookie: a=1',
      '\0\u202e',
      '%0d%0a',
    ]
    for (const state of states) {
      const refused = await app.authorize({ state, response_type: 'token' })
      expect(refused.redirected().get('state')).toBe(state)
      expect((await app.approve({ state })).redirected().get('state')).toBe(state)
    }
    expect((await app.approve({ state: undefined })).redirected().has('state')).toBe(false)
    expect((await app.authorize({ state: undefined, scope: 'x' })).redirected().has('state')).toBe(false)
  })

  it('REQ-19, REQ-20: every answer names its issuer, an error has no code, and a code has no error', async () => {
    const app = await App.register(bench)
    const success = (await app.approve()).redirected()
    expect([success.get('iss'), success.get('state'), success.has('error')]).toEqual([
      bench.base,
      'st-4711',
      false,
    ])
    expectRedirect(app, await app.authorize({ scope: 'nothing"\\é' }), 'invalid_scope')
  })

  it('REQ-21, UI-09: every redirect is a 303 without a body, also after a form', async () => {
    const app = await App.register(bench)
    const answers = [await app.approve(), await app.authorize({ scope: 'x' }), await app.askSignedOut()]
    for (const answer of answers) expect([answer.status, answer.body]).toEqual([303, ''])
  })

  it('REQ-22: prompt=none shows no page, is answered at once, and cannot be combined', async () => {
    const app = await App.register(bench)
    expectRedirect(app, await app.askSignedOut({ prompt: 'none' }), 'login_required')
    expectRedirect(app, await app.authorize({ prompt: 'none' }), ['consent_required', 'interaction_required'])
    for (const prompt of ['none login', 'consent none', 'none none login', 'NONE', 'create'])
      expectRedirect(app, await app.authorize({ prompt }), 'invalid_request', prompt)
  })

  it('REQ-23: prompt=login and a sign-in older than max_age require a new one, once', async () => {
    const app = await App.register(bench)
    for (const demand of [{ prompt: 'login' }, { prompt: 'select_account' }, { max_age: '0' }]) {
      const answer = await app.authorize(demand)
      expect(answer.header('location'), JSON.stringify(demand)).toMatch(/^\/login\?return_to=/)
    }
    expect((await app.authorize({ max_age: '1000' })).status).toBe(200)
    for (const max_age of ['-1', '1.5', 'x', '1e9', '0x1', ' 1', '99999999999'])
      expectRedirect(app, await app.authorize({ max_age }), 'invalid_request', max_age)
    await bench.session('alice')
    later(30)
    expect((await app.authorize({ max_age: '20' })).header('location')).toMatch(/^\/login/)
    expect((await app.authorize({ max_age: '1000' })).status).toBe(200)
  })

  it('REQ-24, D4: consent is required every time for a public client, and for an integration without remembered consent', async () => {
    const app = await App.register(bench, { client_name: 'Notes' })
    await app.tokens()
    const { page } = await app.consentForm(app.query())
    for (const shown of ['Notes', '127.0.0.1:7001', 'See all courses', 'See your name'])
      expect(page, shown).toContain(shown)
    const zap = await App.arrange(bench, { rememberConsent: true })
    await zap.tokens()
    expect((await zap.authorize()).redirected().get('code')).toMatch(/^gkc_/)
    expect((await zap.authorize({ prompt: 'consent' })).body).toContain('name="ticket"')
    expect((await zap.authorize({ scope: 'students:write' })).body, 'more than before').toContain(
      'name="ticket"',
    )
    const forgetful = await App.arrange(bench, {})
    await forgetful.tokens()
    expect((await forgetful.authorize()).body).toContain('name="ticket"')
  })

  it('REQ-25: if the user denies, the client gets access_denied', async () => {
    const app = await App.register(bench)
    expectRedirect(app, await app.submit(await app.consentForm(app.query(), 'deny')), 'access_denied')
  })

  it('REQ-26: a hint for another user never yields a code for the signed-in user', async () => {
    const [app, other] = [await App.register(bench), await App.register(bench, {}, 'bob')]
    const { id_token } = await other.tokens()
    expect((await app.authorize({ id_token_hint: id_token })).header('location')).toMatch(/^\/login/)
    expectRedirect(app, await app.authorize({ id_token_hint: id_token, prompt: 'none' }), 'login_required')
    const own = (await app.tokens()).id_token
    expect((await app.authorize({ id_token_hint: own })).body).toContain('name="ticket"')
  })

  it('REQ-27: parameters about the display are no error', async () => {
    const app = await App.register(bench)
    const wishes = {
      display: 'popup',
      ui_locales: 'de-CH',
      claims_locales: 'fr',
      login_hint: 'a@b',
      acr_values: '1',
    }
    expect((await app.authorize(wishes)).status).toBe(200)
  })

  it('REQ-29: a consent form may redirect only to the requesting client', async () => {
    const app = await App.register(bench)
    const policy = (await app.authorize()).header('content-security-policy') ?? ''
    expect(policy.split('; ').find((part) => part.startsWith('form-action'))).toBe(
      "form-action 'self' http://127.0.0.1:7001",
    )
  })
})
