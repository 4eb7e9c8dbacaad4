import { createServer } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { App } from './app.ts'
import { onTheService } from './on-the-service.ts'
import { expectPage, expectRedirect } from './safe-answers.ts'

/** The authorization request on the wire and on the pages. What it may contain is tested in core. */

onTheService('the authorization request', (bench) => {
  it('RA-01, REQ-11: an unregistered redirect URI gets no redirect, for any client', async () => {
    for (const app of [await App.register(bench), await App.arrange(bench, {})])
      for (const redirect_uri of ['https://evil.example/cb', 'http://evil.example/<script>alert(1)</script>'])
        for (const prompt of [undefined, 'none'])
          for (const answer of [
            await app.authorize({ redirect_uri, prompt }),
            await app.askSignedOut({ redirect_uri, prompt }),
          ]) {
            expectPage(answer)
            expect(answer.body).not.toContain('evil.example')
          }
  })

  it('RA-08: a client that is removed before the form is submitted gets no code', async () => {
    const app = await App.register(bench)
    const form = await app.consentForm(app.query())
    bench.fault = async (operation, done) => (operation === 'clients.find' ? undefined : done())
    expectPage(await app.submit(form))
    expect(bench.service.events.some(({ type }) => type === 'consent_granted')).toBe(false)
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

  it('REQ-18: a state that is long or unusual passes the consent form unchanged', async () => {
    const app = await App.register(bench)
    const states = [
      'a+b c%20&=?#/',
      '€😀"<>\'\\',
      'x'.repeat(2048),
      '\r\nSet-Cookie: a=1',
      '\0\u202e',
      '%0d%0a',
    ]
    for (const state of states) expect((await app.approve({ state })).redirected().get('state')).toBe(state)
    expect((await app.approve({ state: undefined })).redirected().has('state')).toBe(false)
  })

  it('REQ-21, UI-09: every redirect is a 303 without a body, also after a form', async () => {
    const app = await App.register(bench)
    const answers = [await app.approve(), await app.authorize({ scope: 'x' }), await app.askSignedOut()]
    for (const answer of answers) expect([answer.status, answer.body]).toEqual([303, ''])
  })
})
