import { expect, it } from 'vitest'
import { App, tokensOf } from './app.ts'
import type { Bench } from './bench.ts'
import { onBothStores } from './on-both-stores.ts'
import { expectError, expectInvalidToken, expectNoEffect, expectRedirect } from './safe-answers.ts'
import type { Answer } from './wire.ts'

/** A store that fails at every possible place. */

const OUTAGE = () => Promise.reject(new Error('connection to internal-host-4711 lost'))

onBothStores('an outage of the store', (bench) => {
  function fail(...operations: string[]): void {
    bench.failuresExpected = true
    bench.fault = async (operation, done) =>
      operations.length === 0 || operations.includes(operation) ? OUTAGE() : done()
  }
  function mend(): void {
    bench.fault = undefined
  }
  function expectUnavailable(answer: Answer, about = ''): void {
    expectError(answer, 'temporarily_unavailable', about, [503])
    expect(answer.header('retry-after'), about).toBe('1')
    expect(answer.body).not.toContain('internal-host')
  }

  it('ST-01, REQ-76, REQ-80: a redemption that could not be stored issues nothing, and can be repeated', async () => {
    const app = await App.register(bench)
    for (const broken of ['grants.find', 'grants.replace', 'clients.find']) {
      const code = await app.code()
      fail(broken)
      expectUnavailable(await app.redeem(code), broken)
      mend()
      expect((await app.redeem(code)).status, broken).toBe(200)
    }
  })

  it('ST-01: a redemption whose response was lost never issues a second pair', async () => {
    const app = await App.register(bench)
    const code = await app.code()
    bench.failuresExpected = true
    bench.fault = async (operation, done) => {
      const result = await done()
      return operation === 'grants.replace' ? OUTAGE() : result
    }
    expectUnavailable(await app.redeem(code))
    mend()
    const again = await app.redeem(code)
    expect([200, 400]).toContain(again.status)
    if (again.status === 400) expect(again.json().error).toBe('invalid_grant')
  })

  it('ST-03, REQ-76: a revocation that could not be made is a 503 and never a success', async () => {
    const app = await App.register(bench)
    const tokens = await app.tokens()
    fail('grants.find')
    expectUnavailable(await app.revoke(tokens.refresh_token))
    fail('grants.replace')
    expectUnavailable(await app.revoke(tokens.access_token))
    // What cannot be replaced is removed, which a store that is full still does.
    fail('grants.replace', 'grants.remove')
    expectUnavailable(await app.revoke(tokens.refresh_token))
    mend()
    await expectNoEffect(app, tokens)
  })

  it('ST-04, REQ-77: a call of the API with a valid token is a 503, neither a challenge nor an anonymous response', async () => {
    const app = await App.register(bench)
    const tokens = await app.tokens()
    fail()
    for (const answer of [
      await app.call(tokens.access_token),
      await app.call(tokens.access_token, '/api/oauth/userinfo'),
    ]) {
      expectUnavailable(answer)
      expect(answer.header('www-authenticate')).toBeUndefined()
    }
    expect((await bench.send('/api/courses')).status, 'the public route, without a token').toBe(200)
    mend()
    await expectNoEffect(app, tokens)
  })

  it('REQ-76: registration and authorization are a 503 too, while metadata, keys and pages are served', async () => {
    const app = await App.register(bench)
    const form = await app.consentForm(app.query())
    fail()
    expectUnavailable(await bench.postJson('/api/oauth/register', { redirect_uris: ['http://127.0.0.1/'] }))
    const page = await app.authorize()
    expect([page.status, page.header('retry-after'), page.header('content-type')]).toEqual([
      503,
      '1',
      'text/html; charset=utf-8',
    ])
    for (const path of [
      '/.well-known/openid-configuration',
      '/api/oauth/jwks',
      '/login',
      '/healthz',
      '/llms.txt',
    ])
      expect((await bench.send(path)).status, path).toBe(200)
    mend()
    fail('grants.insert')
    expectRedirect(app, await app.submit(form), 'temporarily_unavailable')
    mend()
    expect((await app.submit(form)).redirected().get('code')).toMatch(/^gkc_/)
  })

  it('ST-08: the account page is a 503 with Retry-After, and disconnects after the outage', async () => {
    const app = await App.register(bench)
    const tokens = await app.tokens()
    const cookie = ['Cookie', await bench.session('alice')] as const
    const page = await bench.send('/account', { headers: [cookie] })
    const token = /name="token" value="([^"]+)"/.exec(page.body)?.[1] ?? ''
    const disconnect = () => bench.post('/account', { token, installation: app.id }, [cookie])
    for (const broken of ['grants.list', 'clients.find']) {
      fail(broken)
      const answers = [await disconnect(), await bench.send('/account', { headers: [cookie] })]
      for (const answer of answers) {
        expect([answer.status, answer.header('retry-after')], broken).toEqual([503, '1'])
        expect(answer.body).toContain('try again in a moment')
      }
      mend()
      await expectNoEffect(app, tokens)
    }
    expect((await disconnect()).status).toBe(303)
    expectInvalidToken(bench, await app.call(tokens.access_token))
  })

  it('HT-12: a bug is a plain server_error, and the next request is served', async () => {
    const app = await App.register(bench)
    const tokens = await app.tokens()
    const bugs = [TypeError, RangeError, ReferenceError, SyntaxError].map((Bug) => new Bug('no secret-4711'))
    for (const thrown of [...bugs, 'a string', undefined, null]) {
      bench.failuresExpected = true
      bench.fault = async () => {
        throw thrown
      }
      for (const answer of [await app.refresh(tokens.refresh_token), await app.call(tokens.access_token)]) {
        expect(answer.status, String(thrown)).toBe(thrown instanceof Error ? 500 : 503)
        if (thrown instanceof Error) expect(answer.json().error).toBe('server_error')
        expect(answer.body).not.toMatch(/4711|Error/)
        expect(answer.header('x-powered-by')).toBeUndefined()
      }
      mend()
    }
    await expectNoEffect(app, tokens)
  })

  it('ST-07: a record of a newer version is read, and its unknown members are ignored', async () => {
    const app = await App.register(bench)
    const tokens = await app.tokens()
    bench.fault = async (operation, done) => {
      const found = (await done()) as { value: object; version: unknown } | undefined
      if (!operation.endsWith('.find') || found === undefined) return found
      return { ...found, value: { ...found.value, addedLater: { nested: [1] } } }
    }
    expect((await app.call(tokens.access_token)).status).toBe(200)
    expect((await app.refresh(tokens.refresh_token)).status).toBe(200)
    expect((await app.tokens()).access_token).toMatch(/^gka_/)
  })

  it('REQ-80: a change that lost a race is repeated on the current record', async () => {
    const app = await App.register(bench)
    const tokens = await app.tokens()
    let lost = 0
    bench.fault = async (operation, done) => (operation === 'grants.replace' && lost++ < 2 ? false : done())
    const refreshed = tokensOf(await app.refresh(tokens.refresh_token))
    expect(lost).toBe(3)
    expect((await app.call(refreshed.access_token)).status).toBe(200)
  })

  it('REQ-79: too many changes of one grant at once are a 503, not an endless loop', async () => {
    const app = await App.register(bench)
    const { refresh_token } = await app.tokens()
    bench.failuresExpected = true
    bench.fault = async (operation, done) => (operation === 'grants.replace' ? false : done())
    expectUnavailable(await app.refresh(refresh_token))
  })

  it('REQ-78: readiness fails and recovers with the store, and the process continues', async () => {
    const ready = async () => (await bench.send('/readyz')).status
    expect(await ready()).toBe(200)
    await outage(bench, async () => {
      await expect.poll(ready, { timeout: 2000 }).toBe(503)
      expect((await bench.send('/healthz')).status).toBe(200)
      const app = await App.register(bench, {}, 'alice').catch((error: Error) => error.message)
      expect(app).toMatch(/temporarily_unavailable/)
    })
    await expect.poll(ready, { timeout: 5000 }).toBe(200)
  })

  /** A real outage if there is a server to stop. */
  async function outage({ storage: { server } }: Bench, during: () => Promise<void>): Promise<void> {
    bench.failuresExpected = true
    if (server === undefined) fail()
    else await server.stop()
    await during()
    if (server === undefined) mend()
    else await server.restart()
  }
})
