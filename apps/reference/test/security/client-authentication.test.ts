import type { Overrides } from '@grantkit/testkit/client'
import { expect, it } from 'vitest'
import { App } from './app.ts'
import { onTheService } from './on-both-stores.ts'
import { expectError, expectInvalidClient } from './safe-answers.ts'
import type { HeaderLines } from './wire.ts'

/** A client authenticates with its registered method, or is rejected. */

const CONFIDENTIAL = { token_endpoint_auth_method: 'client_secret_post' }
const basic = (id: string, secret: string) =>
  ['Authorization', `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`] as const

onTheService('client authentication', (bench) => {
  it('CA-03, REQ-34: Basic is not offered, is not combined with the body, and its error has a challenge', async () => {
    for (const metadata of [CONFIDENTIAL, {}]) {
      const app = await App.register(bench, metadata)
      const other = await App.register(bench, CONFIDENTIAL, 'bob')
      const code = await app.code()
      const own = app.secret ?? 'x'
      const headers = [basic(app.id, own), basic(app.id, 'wrong'), basic('', '')]
      for (const header of headers) {
        const answer = await app.token(app.redemption(code, { client_secret: undefined }), [header])
        expectInvalidClient(answer)
        expect(answer.header('www-authenticate')).toMatch(/^Basic /)
        const both = app.redemption(code, { client_secret: own })
        expectError(await app.token(both, [header]), 'invalid_request')
      }
      const another = app.redemption(code, { client_secret: undefined })
      expectError(await app.token(another, [basic(other.id, other.secret ?? '')]), 'invalid_request')
      const nothing = app.redemption(code, { client_id: undefined, client_secret: undefined })
      expectInvalidClient(await app.token(nothing, [basic(app.id, 'x')]))
      expect((await app.redeem(code)).status).toBe(200)
    }
  })

  it('CA-03: the scheme of a request is not reflected in the response', async () => {
    const app = await App.register(bench)
    for (const scheme of ['Basic", error="x', 'B\u00e9', 'x'.repeat(5000), '<b>', ',,', 'Bearer']) {
      const answer = await app.token(app.redemption('gkc_x'), [['Authorization', scheme]])
      expectInvalidClient(answer, scheme)
      expect(answer.header('www-authenticate') ?? '').toMatch(
        /^$|^[A-Za-z]{1,20} realm="oauth"(, charset="UTF-8")?$/,
      )
    }
  })
})

const OFFERED = { CLIENT_AUTHENTICATION: 'none,client_secret_post,client_secret_basic' }

onTheService(
  'HTTP Basic, where it is offered',
  (bench) => {
    const encoded = (bytes: string | Uint8Array) =>
      ['Authorization', `Basic ${Buffer.from(bytes).toString('base64')}`] as const

    /** Redeems a code with these headers as the only client authentication. */
    const redeemBy = (app: App, code: string, headers: HeaderLines, overrides: Overrides = {}) => {
      const unauthenticated = { client_id: undefined, client_secret: undefined }
      return bench.post(
        '/api/oauth/token',
        app.redemption(code, { ...unauthenticated, ...overrides }),
        headers,
      )
    }

    it('CA-13: the secret is taken in any case of the scheme, and percent-encoded as in RFC 6749 appendix B', async () => {
      const app = await App.register(bench, CONFIDENTIAL)
      const credentials = `${app.id}:${app.secret}`
      const everyByte = (text = '') => text.replace(/./g, (byte) => `%${byte.charCodeAt(0).toString(16)}`)
      const headers = [
        encoded(credentials),
        encoded(`${everyByte(app.id)}:${everyByte(app.secret)}`),
        ['authorization', `bASIC   ${Buffer.from(credentials).toString('base64')}`] as const,
      ]
      for (const header of headers)
        expect(bench.keepTokens(await redeemBy(app, await app.code(), [header])).status, header[1]).toBe(200)
    })

    it('CA-14: a malformed, repeated or huge header authenticates no client, and consumes nothing', async () => {
      const app = await App.register(bench, CONFIDENTIAL)
      const code = await app.code()
      const good = encoded(`${app.id}:${app.secret}`)
      const refused: HeaderLines[] = [
        [encoded(`${app.id}:${app.secret}\0`)],
        [encoded(`${app.id}:${app.secret}%00`)],
        [encoded(`${app.id}\r\n:${app.secret}`)],
        [encoded(Buffer.concat([Buffer.from(`${app.id}:${app.secret}`), Uint8Array.of(0xff)]))],
        [encoded(app.id)],
        [['Authorization', 'Basic']],
        [['Authorization', `Basic ${app.id}:${app.secret}`]],
        [['Authorization', `${good[1].replaceAll('=', '')}=x`]],
        [encoded(`${app.id}:`)],
        [good, good],
        [good, encoded('other:secret')],
        [encoded('other:secret'), good],
      ]
      for (const headers of refused) {
        const answer = await redeemBy(app, code, headers)
        expectInvalidClient(answer, String(headers))
        expect(answer.header('www-authenticate'), String(headers)).toMatch(/^Basic realm="oauth"/)
      }
      for (const size of [201, 4_000]) {
        const long = await redeemBy(app, code, [encoded(`${app.id}:${'s'.repeat(size)}`)])
        expectError(long, 'invalid_request')
      }
      const huge = await redeemBy(app, code, [encoded(`${app.id}:${'s'.repeat(100_000)}`)])
      expect(huge.status).toBe(431)
      expect(bench.keepTokens(await redeemBy(app, code, [good])).status).toBe(200)
    })

    it('CA-15: a client_id in a body or a query does not override the header', async () => {
      const app = await App.register(bench, CONFIDENTIAL)
      const other = await App.register(bench, CONFIDENTIAL, 'bob')
      const code = await app.code()
      const [good, foreign] = [encoded(`${app.id}:${app.secret}`), encoded(`${other.id}:${other.secret}`)]
      expectError(await redeemBy(app, code, [foreign], { client_id: app.id }), 'invalid_request')
      expectError(await redeemBy(app, code, [good], { client_id: other.id }), 'invalid_request')
      expectError(await redeemBy(app, code, [foreign], {}), 'invalid_grant')
      const fields = app.redemption(code, { client_id: undefined, client_secret: undefined })
      const query = `/api/oauth/token?client_id=${app.id}&client_secret=${app.secret}`
      expectError(await bench.post(query, fields, [foreign]), 'invalid_grant')
      expectInvalidClient(await bench.post(query, fields))
      expect(bench.keepTokens(await redeemBy(app, code, [good], { client_id: app.id })).status).toBe(200)
    })
  },
  OFFERED,
)
