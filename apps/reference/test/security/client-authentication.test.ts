import { formEncoded } from '@grantkit/testkit/client'
import { expect, it } from 'vitest'
import { tokensOf } from './app.ts'
import { onBothStores } from './on-both-stores.ts'
import { expectError, expectInvalidClient } from './safe-answers.ts'

/** A client proves who it is by the one method it registered for, or gets nothing. */

const CONFIDENTIAL = { token_endpoint_auth_method: 'client_secret_post' }
const basic = (id: string, secret: string) =>
  ['Authorization', `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`] as const

onBothStores('client authentication', (bench) => {
  it('CA-01, REQ-36: a confidential client without its secret gets nothing, and loses nothing by it', async () => {
    const app = await bench.app(CONFIDENTIAL)
    const code = await app.code()
    const wrong = [
      undefined,
      '',
      'wrong',
      'null',
      `${app.secret}x`,
      app.secret?.slice(1),
      `${app.secret} `,
      '\0',
    ]
    for (const client_secret of wrong)
      expectInvalidClient(await app.redeem(code, { client_secret }), client_secret)
    expectError(await app.redeem(code, { client_secret: 's'.repeat(60_000) }), [
      'invalid_client',
      'invalid_request',
    ])
    const twice = `${formEncoded(app.redemption(code))}&client_secret=x`
    expectError(await app.token([...new URLSearchParams(twice)]), 'invalid_request')
    const tokens = tokensOf(await app.redeem(code))
    for (const client_secret of wrong)
      expectInvalidClient(await app.refresh(tokens.refresh_token, { client_secret }), client_secret)
    expect((await app.refresh(tokens.refresh_token)).status).toBe(200)
  })

  it('CA-02, REQ-36: a public client that sends a secret is refused, whatever the secret', async () => {
    const app = await bench.app()
    const code = await app.code()
    for (const client_secret of ['x', 'undefined', 'null'])
      expectInvalidClient(await app.redeem(code, { client_secret }), client_secret)
    expect((await app.redeem(code)).status).toBe(200)
  })

  it('CA-03, REQ-34: Basic is not offered, is not mixed with the body, and its refusal names a scheme', async () => {
    for (const metadata of [CONFIDENTIAL, {}]) {
      const app = await bench.app(metadata)
      const other = await bench.app(CONFIDENTIAL, 'bob')
      const code = await app.code()
      const headers = [basic(app.id, app.secret ?? ''), basic(other.id, other.secret ?? ''), basic('', '')]
      for (const header of headers)
        for (const client_secret of [undefined, app.secret]) {
          const answer = await app.token(app.redemption(code, { client_secret }), [header])
          expectInvalidClient(answer)
          expect(answer.header('www-authenticate')).toMatch(/^Basic /)
        }
      const headerOnly = await app.token(app.redemption(code, { client_id: undefined }), [basic(app.id, 'x')])
      expectInvalidClient(headerOnly)
      expect((await app.redeem(code)).status).toBe(200)
    }
  })

  it('CA-03: no scheme that a request names can put anything else into the answer', async () => {
    const app = await bench.app()
    for (const scheme of ['Basic", error="x', 'B\u00e9', 'x'.repeat(5000), '<b>', ',,', 'Bearer']) {
      const answer = await app.token(app.redemption('gkc_x'), [['Authorization', scheme]])
      expectInvalidClient(answer, scheme)
      expect(answer.header('www-authenticate') ?? '').toMatch(/^$|^[A-Za-z]{1,20} realm="oauth"$/)
    }
  })

  it('CA-05: an assertion is not offered, and its sender is not taken for a public client', async () => {
    const app = await bench.app()
    const code = await app.code()
    const type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
    for (const alg of ['eyJhbGciOiJub25lIn0.e30.', 'eyJhbGciOiJIUzI1NiJ9.e30.x'])
      for (const given of [{ client_assertion: alg, client_assertion_type: type }, { client_assertion: alg }])
        expectError(await app.redeem(code, given), ['invalid_client', 'invalid_request'], '', [400, 401])
    expectError(await app.redeem(code, { client_assertion_type: type }), ['invalid_client'], '', [401])
    expect((await app.redeem(code)).status).toBe(200)
  })

  it('REQ-34, REQ-36: a client that does not say who it is, or is nobody, is refused with 401', async () => {
    const app = await bench.app()
    const code = await app.code()
    const nobody = [
      undefined,
      '',
      'nobody',
      app.id.slice(1),
      app.id.toUpperCase(),
      ' ',
      '__proto__',
      '*',
      '\0',
      '../x',
    ]
    for (const client_id of nobody) expectInvalidClient(await app.redeem(code, { client_id }), client_id)
  })

  it('REQ-35: a grant type that is not offered or not registered for is refused as such', async () => {
    const app = await bench.app({ grant_types: ['authorization_code'] })
    const tokens = { grant_type: 'refresh_token', refresh_token: 'gkr_x', ...app.credentials }
    expectError(await app.token(tokens), 'unauthorized_client')
    for (const grant_type of [
      'password',
      'client_credentials',
      'implicit',
      'Authorization_code',
      'toString',
      'x ',
    ])
      expectError(await app.token({ ...tokens, grant_type }), 'unsupported_grant_type', grant_type)
    for (const grant_type of ['', undefined])
      expectError(await app.token({ ...tokens, grant_type }), 'invalid_request')
  })
})
