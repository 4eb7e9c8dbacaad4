import { authorizationRequest, REDIRECT_URI, registered } from '@grantkit/test-servers/client-libraries'
import { exportJWK } from 'jose'
import * as oidc from 'openid-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FRAMEWORKS } from '../src/frameworks/frameworks.ts'
import { type RunningService, runService } from './service.ts'
import { user } from './user.ts'

/** The whole flow, by an independent client library. */

async function signIn(config: oidc.Configuration, more: Record<string, string> = {}) {
  const { issuer } = config.serverMetadata()
  const nonce = oidc.randomNonce()
  const scope = 'openid profile email courses:read'
  const { parameters, checks } = await authorizationRequest({ scope, nonce, ...more })
  const callback = await user(issuer)(oidc.buildAuthorizationUrl(config, parameters).href)
  return oidc.authorizationCodeGrant(config, callback, { ...checks, expectedNonce: nonce })
}

describe.each(Object.keys(FRAMEWORKS))('openid-client, on %s', (FRAMEWORK) => {
  let service: RunningService
  beforeAll(async () => {
    const features = { FORM_POST: 'on', REQUEST_OBJECTS: 'on', SIGNED_RESPONSES: 'on' }
    service = await runService({ FRAMEWORK, ...features })
  })
  afterAll(() => service.close())

  it('completes the whole flow as a public client', async () => {
    const config = await registered(service.baseUrl)
    const tokens = await signIn(config, { resource: service.baseUrl })
    expect(tokens.scope).toBe('openid profile email courses:read')

    const claims = tokens.claims()
    expect(claims).toMatchObject({
      iss: service.baseUrl,
      sub: 'demo-account',
      aud: config.clientMetadata().client_id,
    })
    const userInfo = await oidc.fetchUserInfo(config, tokens.access_token, 'demo-account')
    expect(userInfo).toMatchObject({
      sub: 'demo-account',
      name: 'Dana Moore',
      email: 'demo@example.com',
      email_verified: true,
    })

    const courses = new URL(`${service.baseUrl}/api/courses`)
    const answer = await oidc.fetchProtectedResource(config, tokens.access_token, courses, 'GET')
    expect(await answer.json()).toMatchObject({ total: 6 })

    const next = await oidc.refreshTokenGrant(config, tokens.refresh_token ?? '')
    expect(next.claims()).toMatchObject({ sub: 'demo-account' })
    expect(next.refresh_token).not.toBe(tokens.refresh_token)

    await oidc.tokenRevocation(config, next.refresh_token ?? '')
    await expect(oidc.fetchProtectedResource(config, next.access_token, courses, 'GET')).rejects.toThrow()
    await expect(oidc.refreshTokenGrant(config, next.refresh_token ?? '')).rejects.toMatchObject({
      error: 'invalid_grant',
    })
  })

  it('gets its answer by a form that the browser posts', async () => {
    const config = await registered(service.baseUrl)
    const more = { scope: 'openid courses:read', response_mode: 'form_post' }
    const { parameters, checks } = await authorizationRequest(more)
    const answer = await user(service.baseUrl)(oidc.buildAuthorizationUrl(config, parameters).href)
    const posted = new Request(REDIRECT_URI, { method: 'POST', body: answer.searchParams })
    const tokens = await oidc.authorizationCodeGrant(config, posted, checks)
    expect(tokens.claims()?.sub).toBe('demo-account')
  })

  it('completes it as a confidential client, and introspects', async () => {
    const metadata = { token_endpoint_auth_method: 'client_secret_post' }
    const config = await registered(service.baseUrl, metadata, oidc.ClientSecretPost())
    const scope = 'openid courses:read'
    const tokens = await signIn(config, { scope })
    const live = await oidc.tokenIntrospection(config, tokens.access_token)
    expect(live).toMatchObject({ active: true, scope, sub: 'demo-account', token_type: 'Bearer' })
    await oidc.tokenRevocation(config, tokens.access_token)
    expect(await oidc.tokenIntrospection(config, tokens.access_token)).toEqual({ active: false })
  })

  it('signs its request, which the browser carries, and gets a signed response', async () => {
    const { publicKey, privateKey } = await oidc.randomDPoPKeyPair('ES256', { extractable: true })
    const { clientId } = await service.clients.add({
      clientName: 'Ledger',
      redirectUris: [REDIRECT_URI],
      tokenEndpointAuthMethod: 'private_key_jwt',
      jwks: { keys: [await exportJWK(publicKey)] },
      requireSignedRequestObject: true,
      authorizationSignedResponseAlg: 'ES256',
    })
    const metadata = { authorization_signed_response_alg: 'ES256' }
    const address = new URL(service.baseUrl)
    const config = await oidc.discovery(address, clientId, metadata, oidc.PrivateKeyJwt(privateKey), {
      execute: [oidc.allowInsecureRequests, oidc.useJwtResponseMode],
    })
    const { parameters, checks } = await authorizationRequest({ scope: 'openid courses:read' })
    const url = await oidc.buildAuthorizationUrlWithJAR(config, parameters, privateKey)
    const callback = await user(service.baseUrl)(url.href)
    expect([...callback.searchParams.keys()]).toEqual(['response'])
    const tokens = await oidc.authorizationCodeGrant(config, callback, checks)
    expect(tokens.scope).toBe('openid courses:read')
  })
})

it('openid-client verifies ID tokens signed with ES256 and with EdDSA', async () => {
  const service = await runService()
  for (const id_token_signed_response_alg of ['ES256', 'EdDSA']) {
    const config = await registered(service.baseUrl, { id_token_signed_response_alg })
    oidc.enableNonRepudiationChecks(config)
    expect((await signIn(config)).claims()?.sub, id_token_signed_response_alg).toBe('demo-account')
  }
  await service.close()
})
