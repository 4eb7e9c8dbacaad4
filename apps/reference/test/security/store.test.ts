import { expect, it } from 'vitest'
import { App } from './app.ts'
import { onTheService } from './on-the-service.ts'
import { expectError, expectInvalidToken, expectNoEffect } from './safe-answers.ts'

/** The API, the pages and the process while the store fails. What the protocol answers then is tested in core. */

const OUTAGE = new Error('connection to internal-host-4711 lost')

onTheService('an outage of the store', (bench) => {
  function fail(thrown: unknown = OUTAGE, operation?: string): void {
    bench.failuresExpected = true
    bench.fault = async (running, done) => {
      if (operation === undefined || operation === running) throw thrown
      return done()
    }
  }
  function mend(): void {
    bench.fault = undefined
  }

  it('ST-04, REQ-77: a call of the API with a valid token is a 503, neither a challenge nor an anonymous response', async () => {
    const app = await App.register(bench)
    const tokens = await app.tokens()
    fail()
    for (const answer of [
      await app.call(tokens.access_token),
      await app.call(tokens.access_token, '/api/oauth/userinfo'),
    ]) {
      expectError(answer, 'temporarily_unavailable', '', [503])
      expect([answer.header('retry-after'), answer.header('www-authenticate')]).toEqual(['1', undefined])
      expect(answer.body).not.toContain('internal-host')
    }
    expect((await bench.send('/api/courses')).status, 'the public route, without a token').toBe(200)
    mend()
    await expectNoEffect(app, tokens)
  })

  it('REQ-76: the authorization page is a 503 too, while metadata, keys and other pages are served', async () => {
    const app = await App.register(bench)
    fail()
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
  })

  it('ST-08: the account page is a 503 with Retry-After, and disconnects after the outage', async () => {
    const app = await App.register(bench)
    const tokens = await app.tokens()
    const cookie = ['Cookie', await bench.session('alice')] as const
    const page = await bench.send('/account', { headers: [cookie] })
    const ticket = /name="ticket" value="([^"]+)"/.exec(page.body)?.[1] ?? ''
    const disconnect = () => bench.post('/account', { ticket, installation: app.id }, [cookie])
    for (const broken of ['grants.list', 'clients.find']) {
      fail(OUTAGE, broken)
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
    for (const [thrown, status] of [
      [new TypeError('no secret-4711'), 500],
      ['no secret-4711', 503],
    ] as const) {
      fail(thrown)
      for (const answer of [await app.refresh(tokens.refresh_token), await app.call(tokens.access_token)]) {
        const error = status === 500 ? 'server_error' : 'temporarily_unavailable'
        expect([answer.status, answer.json().error]).toEqual([status, error])
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

  it('REQ-78: readiness fails and recovers with the store, and the process continues', async () => {
    const ready = async () => (await bench.send('/readyz')).status
    expect(await ready()).toBe(200)
    fail()
    await expect.poll(ready).toBe(503)
    expect((await bench.send('/healthz')).status).toBe(200)
    mend()
    await expect.poll(ready).toBe(200)
  })
})
