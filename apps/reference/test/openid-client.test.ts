import { authorizationRequest, registered } from '@grantkit/test-servers/client-libraries'
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
