import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose'
import { describe, expect, it } from 'vitest'
import { suite, VARIANTS } from './suite.ts'

/** Clients that do everything right. */

const running = suite()

describe.each(VARIANTS)('$openid', ({ openid, scope }) => {
  const idTokens = openid === 'openid_connect'

  it('happy-flow: two clients get bound tokens, and neither can use the tokens of the other', async () => {
    const { one, two, service } = running
    const first = await one.callback({ scope })
    expect(first).toMatchObject({ state: 'a state', iss: service.baseUrl })
    const redeemed = await one.redeem(first.code)
    expect(redeemed).toMatchObject({ status: 200, body: { token_type: 'DPoP', scope } })
    expect(redeemed.headers.get('cache-control')).toBe('no-store')
    const { access_token, id_token } = redeemed.body
    expect(id_token !== undefined).toBe(idTokens)
    expect((await one.call(access_token)).status).toBe(200)

    // The second binds its code by dpop_jkt alone, with a nonce of 43 characters.
    const named = { scope, dpop_jkt: two.proving.thumbprint, nonce: 'n'.repeat(43) }
    const other = (await two.redeem((await two.callback(named)).code)).body
    expect((await two.call(other.access_token)).status).toBe(200)
    expect((await one.call(other.access_token)).status).toBe(401)
    expect((await two.call(access_token)).status).toBe(401)
    if (idTokens) expect(decodeJwt(other.id_token ?? '').nonce).toBe('n'.repeat(43))
  })

  it('user-rejects-authentication: a denial is access_denied, with the state and the issuer', async () => {
    const { one, two, service } = running
    for (const party of [one, two]) {
      const { request_uri } = (await party.push({ scope, prompt: 'consent' })).body
      const back = await party.browser(party.address(request_uri), { decision: 'deny' })
      expect(Object.fromEntries(back.searchParams)).toMatchObject({
        error: 'access_denied',
        state: 'a state',
        iss: service.baseUrl,
      })
    }
  })

  it('ensure-authorization-request-without-state-success: without a state the response has none', async () => {
    const back = await running.one.callback({ scope, state: undefined })
    expect(back).not.toHaveProperty('state')
    const { status, body } = await running.one.redeem(back.code)
    expect(status).toBe(200)
    if (idTokens) expect(decodeJwt(body.id_token ?? '')).not.toHaveProperty('s_hash')
  })

  it('ensure-other-scope-order-succeeds: the order of the scopes does not matter', async () => {
    const reversed = scope.split(' ').reverse().join(' ')
    const { status, body } = await running.one.redeem((await running.one.callback({ scope: reversed })).code)
    expect([status, body.scope?.split(' ').sort()]).toEqual([200, scope.split(' ').sort()])
  })

  it('access-token-type-header-case-sensitivity: the scheme is case-insensitive', async () => {
    const { access_token } = await running.one.tokens({ scope })
    for (const scheme of ['dPOP', 'dpop', 'DPOP'])
      expect((await running.one.call(access_token, {}, { scheme })).status, scheme).toBe(200)
    // A bound token is none of the Bearer scheme, in any case.
    for (const scheme of ['bEARER', 'bearer'])
      expect((await running.one.call(access_token, {}, { scheme })).status, scheme).toBe(401)
  })

  it('ensure-authorization-request-with-long-state: 1000 characters are returned unchanged', async () => {
    const state = 's'.repeat(1000)
    const back = await running.one.callback({ scope, state })
    expect(back.state).toBe(state)
    expect((await running.one.redeem(back.code)).status).toBe(200)
  })

  it('par-without-duplicate-parameters: the browser sends only client_id and request_uri', async () => {
    const { one } = running
    const { request_uri, expires_in } = (await one.push({ scope })).body
    expect(Number(expires_in)).toBeLessThan(600)
    expect([...new URL(one.address(request_uri)).searchParams.keys()].sort()).toEqual([
      'client_id',
      'request_uri',
    ])
    const { code } = Object.fromEntries((await one.browser(one.address(request_uri))).searchParams)
    expect((await one.redeem(code)).status).toBe(200)
  })
})

describe('openid_connect', () => {
  async function idToken(overrides: Record<string, string | undefined>) {
    const { id_token = '' } = await running.one.tokens(overrides)
    const keys = createRemoteJWKSet(new URL(`${running.service.baseUrl}/api/oauth/jwks`))
    const { baseUrl: issuer } = running.service
    const options = { issuer, audience: running.one.clientId, algorithms: ['ES256'] }
    return (await jwtVerify(id_token, keys, options)).payload
  }

  it('ensure-authorization-request-without-nonce-success: the ID token has none then', async () => {
    expect(await idToken({ nonce: undefined })).not.toHaveProperty('nonce')
  })

  it.each([
    ['ensure-authorization-request-with-64-char-nonce-success', 64],
    ['ensure-authorization-request-with-long-nonce', 384],
  ])('%s: the ID token has it whole', async (_, length) => {
    const nonce = 'n'.repeat(length)
    expect(await idToken({ nonce })).toMatchObject({ nonce, sub: 'demo-account' })
  })

  it('test-claims-parameter-identity-claims: the metadata do not offer the parameter, and it is ignored', async () => {
    const metadata = await fetch(`${running.service.baseUrl}/.well-known/openid-configuration`)
    expect(await metadata.json()).toMatchObject({ claims_parameter_supported: false })
    const claims = JSON.stringify({ id_token: { name: { essential: true }, unknown: null } })
    expect(await idToken({ claims })).toMatchObject({ sub: 'demo-account' })
  })
})
