import { expect, it } from 'vitest'
import { App } from './app.ts'
import { onBothStores } from './on-both-stores.ts'
import { expectError, expectInvalidClient } from './safe-answers.ts'

/** A client authenticates with its registered method, or gets nothing. */

const CONFIDENTIAL = { token_endpoint_auth_method: 'client_secret_post' }
const basic = (id: string, secret: string) =>
  ['Authorization', `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`] as const

onBothStores('client authentication', (bench) => {
  it('CA-03, REQ-34: Basic is not offered, is not mixed with the body, and its refusal names a scheme', async () => {
    for (const metadata of [CONFIDENTIAL, {}]) {
      const app = await App.register(bench, metadata)
      const other = await App.register(bench, CONFIDENTIAL, 'bob')
      const code = await app.code()
      const headers = [basic(app.id, app.secret ?? ''), basic(other.id, other.secret ?? ''), basic('', '')]
      for (const header of headers) {
        const answer = await app.token(app.redemption(code, { client_secret: undefined }), [header])
        expectInvalidClient(answer)
        expect(answer.header('www-authenticate')).toMatch(/^Basic /)
        const both = app.redemption(code, { client_secret: app.secret ?? 'x' })
        expectError(await app.token(both, [header]), 'invalid_request')
      }
      const nothing = app.redemption(code, { client_id: undefined, client_secret: undefined })
      expectInvalidClient(await app.token(nothing, [basic(app.id, 'x')]))
      expect((await app.redeem(code)).status).toBe(200)
    }
  })

  it('CA-03: no scheme that a request names can put anything else into the answer', async () => {
    const app = await App.register(bench)
    for (const scheme of ['Basic", error="x', 'B\u00e9', 'x'.repeat(5000), '<b>', ',,', 'Bearer']) {
      const answer = await app.token(app.redemption('gkc_x'), [['Authorization', scheme]])
      expectInvalidClient(answer, scheme)
      expect(answer.header('www-authenticate') ?? '').toMatch(/^$|^[A-Za-z]{1,20} realm="oauth"$/)
    }
  })
})
