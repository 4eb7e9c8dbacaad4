import { createHash, randomUUID } from 'node:crypto'
import { testClient } from '@grantkit/testkit/client'
import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose'
import { describe, expect, it } from 'vitest'
import { ALGORITHMS, assertion, keyFor, proof } from './client-keys.ts'
import { approveDevice, operatorAdds, post } from './requests.ts'

/** Whole flows of the features of core, at a service of `service.ts` on any runtime. */
export function describeFeatures(url: () => string): void {
  const endpoint = (name: string) => `${url()}/api/oauth/${name}`
  const api = async (path: string, headers: Record<string, string>) => {
    const response = await fetch(url() + path, { headers })
    return { status: response.status, ...((await response.json()) as { kind?: string; error?: string }) }
  }
  const confidential = { token_endpoint_auth_method: 'client_secret_post' }

  it('takes a pushed authorization request', async () => {
    const app = await testClient(url(), { metadata: confidential })
    const verifier = randomUUID() + randomUUID()
    const pushed = await post(endpoint('par'), {
      ...app.credentials,
      ...{ response_type: 'code', redirect_uri: app.redirectUri, scope: 'notes:read' },
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    })
    expect(pushed.status).toBe(201)
    const parameters = { request_uri: String(pushed.request_uri), redirect_uri: undefined }
    // The browser is sent to itself once, with the time at which the request arrived.
    const { headers } = await app.visit(app.authorizationUrl(parameters))
    const page = await app.visit(new URL(String(headers.location), url()).href)
    const callback = await app.decide(page, { decision: 'allow' })
    const code = String(new URL(String(callback.headers.location)).searchParams.get('code'))
    expect(await app.redeem({ code, verifier })).toMatchObject({ status: 200, scope: 'notes:read' })
  })

  it('announces the algorithms that its tests try', async () => {
    const metadata = await (await fetch(`${url()}/.well-known/oauth-authorization-server`)).json()
    expect(metadata).toMatchObject({ dpop_signing_alg_values_supported: ALGORITHMS })
  })

  describe.each(ALGORITHMS)('%s', (alg) => {
    const key = keyFor(alg)

    it('binds tokens to a key by DPoP', async () => {
      const app = await testClient(url())
      const form = app.redemption(await app.approve('openid notes:read'))
      const { access_token = '', ...answer } = await app.token(form, {
        dpop: await proof(key, 'POST', endpoint('token')),
      })
      expect(answer).toMatchObject({ status: 200, token_type: 'DPoP' })
      const authorization = `DPoP ${access_token}`
      for (const path of ['/notes', '/api/oauth/userinfo']) {
        const dpop = await proof(key, 'GET', url() + path, access_token)
        expect((await api(path, { authorization, dpop })).status, path).toBe(200)
      }
      expect(await api('/notes', { authorization: `Bearer ${access_token}` })).toMatchObject({ status: 401 })
    })

    it('refuses a proof whose signature is wrong, in any way, and spends no code for it', async () => {
      const app = await testClient(url())
      const form = app.redemption(await app.approve('notes:read'))
      const dpop = await proof(key, 'POST', endpoint('token'))
      const [signed, signature = ''] = dpop.split(/\.(?=[^.]+$)/)
      const other = await proof({ ...keyFor(alg, 'other'), jwk: key.jwk }, 'POST', endpoint('token'))
      for (const wrong of [
        other,
        `${signed}.${signature.slice(4)}`,
        `${signed}.${signature}AAAA`,
        `${signed}.AA`,
      ])
        expect(await app.token(form, { dpop: wrong })).toMatchObject({
          status: 400,
          error: 'invalid_dpop_proof',
        })
      expect((await app.token(form, { dpop })).status).toBe(200)
    })

    it('authenticates a client by private_key_jwt', async () => {
      const { client_id } = await operatorAdds(url(), {
        redirectUris: ['https://reports.example/callback'],
        tokenEndpointAuthMethod: 'private_key_jwt',
        jwks: { keys: [key.jwk] },
      })
      const introspect = (client_assertion: string) =>
        post(endpoint('introspect'), {
          token: 'any',
          client_assertion,
          client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        })
      const good = await assertion(key, client_id, url())
      for (const wrong of [
        await assertion(keyFor(alg, 'other'), client_id, url()),
        good.slice(0, -4),
        `${good}AAAA`,
      ])
        expect(await introspect(wrong)).toMatchObject({ status: 401, error: 'invalid_client' })
      expect(await introspect(good)).toMatchObject({ status: 200, active: false })
      expect(await introspect(good), 'a second time').toMatchObject({ status: 401 })
    })
  })

  it('refuses keys that are none', async () => {
    const app = await testClient(url())
    const form = app.redemption(await app.approve('notes:read'))
    const broken = {
      ES256: { crv: 'P-256', kty: 'EC', x: 'A'.repeat(43), y: 'A'.repeat(43) },
      EdDSA: { crv: 'Ed25519', kty: 'OKP', x: '_'.repeat(43) },
      PS256: { e: 'AA', kty: 'RSA', n: `B${'A'.repeat(341)}` },
      RS256: { e: 'AA', kty: 'RSA', n: `B${'A'.repeat(341)}` },
    } as const
    for (const alg of ['ES256', 'EdDSA', 'PS256', 'RS256'] as const) {
      const dpop = await proof({ ...keyFor(alg), jwk: broken[alg] }, 'POST', endpoint('token'))
      expect(await app.token(form, { dpop }), alg).toMatchObject({ status: 400, error: 'invalid_dpop_proof' })
    }
  })

  it('gives a device the access that its user allows in a browser', async () => {
    const { client_id } = await operatorAdds(url(), {
      redirectUris: [],
      tokenEndpointAuthMethod: 'none',
      grantTypes: ['urn:ietf:params:oauth:grant-type:device_code', 'refresh_token'],
    })
    const started = await post(endpoint('device_authorization'), { client_id, scope: 'notes:read' })
    expect(await approveDevice(String(started.verification_uri), String(started.user_code))).toBe('allowed')
    const { access_token } = await post(endpoint('token'), {
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      ...{ client_id, device_code: String(started.device_code) },
    })
    expect(await api('/notes', { authorization: `Bearer ${access_token}` })).toMatchObject({ status: 200 })
  })

  it('gives a client tokens for itself, and forward auth accepts them', async () => {
    const { client_id, client_secret } = await operatorAdds(url(), {
      redirectUris: [],
      grantTypes: ['client_credentials'],
      clientCredentialsScopes: ['notes:read'],
      tokenEndpointAuthMethod: 'client_secret_post',
    })
    const form = { grant_type: 'client_credentials', client_id, client_secret }
    const { access_token } = await post(endpoint('token'), form)
    const verify = (token: unknown) =>
      fetch(endpoint('verify?scope=notes:read'), { headers: { authorization: `Bearer ${token}` } })
    expect((await verify(access_token)).headers.get('x-auth-client')).toBe(client_id)
    expect((await verify('bad')).status).toBe(401)
  })

  it('exchanges a token for one that can do less', async () => {
    const grant_type = 'urn:ietf:params:oauth:grant-type:token-exchange'
    const grant_types = ['authorization_code', 'refresh_token', grant_type]
    const app = await testClient(url(), { metadata: { ...confidential, grant_types } })
    const { access_token: subject_token } = await app.tokens('openid notes:read')
    const subject_token_type = 'urn:ietf:params:oauth:token-type:access_token'
    const { access_token } = await app.token({
      ...{ ...app.credentials, grant_type, subject_token, subject_token_type },
      scope: 'notes:read',
    })
    expect(await api('/notes', { authorization: `Bearer ${access_token}` })).toMatchObject({
      status: 200,
      token: { scopes: ['notes:read'] },
    })
  })

  it.each(['RS256', 'ES256', 'EdDSA'])('signs ID tokens by %s', async (alg) => {
    const metadata = { id_token_signed_response_alg: alg }
    const { id_token = '' } = await (await testClient(url(), { metadata })).tokens('openid')
    const { protectedHeader } = await jwtVerify(id_token, createRemoteJWKSet(new URL(endpoint('jwks'))))
    expect(protectedHeader.alg).toBe(alg)
  })

  it('tells a client by a signed message that its session has ended', async () => {
    const added = await operatorAdds(url(), {
      redirectUris: ['http://127.0.0.1:7001/callback'],
      backchannelLogoutUri: 'https://app.dev/bcl',
      tokenEndpointAuthMethod: 'client_secret_post',
    })
    const { client_id: clientId, client_secret: clientSecret } = added
    const client = { clientId, clientSecret, redirectUris: ['http://127.0.0.1:7001/callback'] }
    const { id_token = '' } = await (await testClient(url(), { client })).tokens('openid')
    const body = JSON.stringify({ subject: 'alice', sessionIds: ['session'] })
    const posted = await (await fetch(`${url()}/operator/sessions`, { method: 'POST', body })).json()
    const token = new URLSearchParams((posted as string[])[0]).get('logout_token') ?? ''
    const { payload } = await jwtVerify(token, createRemoteJWKSet(new URL(endpoint('jwks'))), {
      typ: 'logout+jwt',
    })
    expect(payload).toMatchObject({ sub: 'alice', aud: clientId, sid: decodeJwt(id_token).sid })
  })

  it('guards by signed tokens without the store, and hears what is revoked', async () => {
    const resource = `${url()}/signed`
    const app = await testClient(url(), { metadata: confidential })
    const { access_token } = await app.tokens('notes:read', { resource })
    const call = () => api('/signed', { authorization: `Bearer ${access_token}` })
    expect(access_token).toMatch(/^eyJ/)
    const together = await Promise.all(Array.from({ length: 8 }, call))
    expect(together.map(({ status }) => status)).toEqual(Array(8).fill(200))
    expect(await api('/signed', { authorization: `Bearer ${access_token.slice(0, -4)}` })).toMatchObject({
      status: 401,
    })
    expect(await app.introspect(access_token)).toMatchObject({ active: true })
    await app.revoke(access_token)
    await expect.poll(async () => (await call()).status).toBe(401)
    expect((await Promise.all(Array.from({ length: 8 }, call))).map(({ status }) => status)).toEqual(
      Array(8).fill(401),
    )
  })
}
