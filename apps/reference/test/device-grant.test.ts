import { DEVICE_CODE_GRANT } from '@grantkit/core/device'
import { discovered, http } from '@grantkit/test-servers/client-libraries'
import * as oauth from 'oauth4webapi'
import * as oidc from 'openid-client'
import { afterAll, describe, expect, it } from 'vitest'
import { addTool, answerDevice } from './device-client.ts'
import { runService } from './service.ts'

/** A sign-in without a browser, by independent client libraries. */

const SCOPE = 'openid courses:read'

const service = await runService({ DEVICE_GRANT: 'integrations' })
afterAll(() => service.close())

describe('openid-client', () => {
  async function discover(metadata: object = {}) {
    const { clientId: client_id, clientSecret: client_secret } = await addTool(service, metadata)
    const auth = client_secret === undefined ? oidc.None() : oidc.ClientSecretPost(client_secret)
    const options = { execute: [oidc.allowInsecureRequests] }
    return oidc.discovery(new URL(service.baseUrl), client_id, undefined, auth, options)
  }

  it.each([
    ['public', {}],
    ['confidential', { tokenEndpointAuthMethod: 'client_secret_post' }],
  ])('signs a %s client in, refreshes and revokes', async (_, metadata) => {
    const config = await discover(metadata)
    const started = await oidc.initiateDeviceAuthorization(config, { scope: SCOPE })
    expect(started).toMatchObject({ verification_uri: `${service.baseUrl}/oauth/device`, interval: 5 })
    const [tokens, page] = await Promise.all([
      // Its interval is not waited for: that takes five seconds.
      oidc.pollDeviceAuthorizationGrant(config, { ...started, interval: 0.2 }),
      answerDevice(service, started.user_code),
    ])
    expect(page).toContain('The device has access')
    expect(tokens).toMatchObject({ scope: SCOPE, token_type: 'bearer' })
    expect(tokens.claims()).toMatchObject({ sub: 'demo-account', iss: service.baseUrl })
    const userInfo = await oidc.fetchUserInfo(config, tokens.access_token, 'demo-account')
    expect(userInfo.sub).toBe('demo-account')
    const next = await oidc.refreshTokenGrant(config, tokens.refresh_token ?? '')
    await oidc.tokenRevocation(config, next.refresh_token ?? '')
    expect((await service.grants.list('demo-account')).grants).toEqual([])
  })

  it('receives access_denied if the user denied', async () => {
    const config = await discover()
    const started = await oidc.initiateDeviceAuthorization(config, { scope: SCOPE })
    expect(await answerDevice(service, started.user_code, 'deny')).toContain('Nothing got access')
    await expect(
      oidc.pollDeviceAuthorizationGrant(config, { ...started, interval: 0.1 }),
    ).rejects.toMatchObject({ error: 'access_denied' })
  })
})

describe('oauth4webapi', () => {
  it('accepts every response of the flow', async () => {
    const as = await discovered(service.baseUrl, 'oidc')
    expect(as.grant_types_supported).toContain(DEVICE_CODE_GRANT)
    const { clientId: client_id } = await addTool(service)
    const client = { client_id }
    const begun = await oauth.deviceAuthorizationRequest(as, client, oauth.None(), { scope: SCOPE }, http)
    const started = await oauth.processDeviceAuthorizationResponse(as, client, begun)
    const poll = async () => {
      const answer = await oauth.deviceCodeGrantRequest(as, client, oauth.None(), started.device_code, http)
      return oauth.processDeviceCodeResponse(as, client, answer)
    }
    await expect(poll()).rejects.toMatchObject({ error: 'authorization_pending', status: 400 })
    await answerDevice(service, started.user_code)
    const tokens = await poll()
    expect(tokens.scope).toBe(SCOPE)
    expect(oauth.getValidatedIdTokenClaims(tokens)).toMatchObject({ sub: 'demo-account', aud: client_id })
    expect(await poll(), 'a lost answer').toMatchObject({ access_token: tokens.access_token })
  })
})
