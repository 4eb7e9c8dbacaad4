import { authorizationUrl, discovered, http, REDIRECT_URI } from '@grantkit/test-servers/client-libraries'
import * as oauth from 'oauth4webapi'
import { afterAll, expect, it } from 'vitest'
import { runServer, WITH_API } from './running-server.ts'
import { user } from './signed-in-browser.ts'

/** The whole flow, step by step, by a library that checks every answer strictly against the RFCs. */

const scopes = {
  openid: { description: 'Know who you are' },
  email: { description: 'See your address' },
  'notes:read': { description: 'Read your notes' },
}
const server = await runServer({}, { scopes }, WITH_API)
afterAll(() => server.close())

it('oauth4webapi works from discovery to revocation', async () => {
  const as = await discovered(server.baseUrl)
  expect(as).toMatchObject({ issuer: server.baseUrl, code_challenge_methods_supported: ['S256'] })

  const metadata = {
    client_name: 'oauth4webapi',
    redirect_uris: [REDIRECT_URI],
    token_endpoint_auth_method: 'client_secret_post',
  }
  const registration = await oauth.dynamicClientRegistrationRequest(as, metadata, http)
  const client = await oauth.processDynamicClientRegistrationResponse(registration)
  const auth = oauth.ClientSecretPost(String(client.client_secret))

  const verifier = oauth.generateRandomCodeVerifier()
  const nonce = oauth.generateRandomNonce()
  const requested = { client_id: client.client_id, scope: 'openid email notes:read', state: 's', nonce }
  const url = await authorizationUrl(as, verifier, requested)
  const callback = await user(server.baseUrl)(url, { without: ['notes:read'] })
  const parameters = oauth.validateAuthResponse(as, client, callback, 's')

  const args = [as, client, auth, parameters, REDIRECT_URI, verifier, http] as const
  const exchange = await oauth.authorizationCodeGrantRequest(...args)
  const tokens = await oauth.processAuthorizationCodeResponse(as, client, exchange, {
    expectedNonce: nonce,
    requireIdToken: true,
  })
  expect(tokens.scope, 'what the user left ticked').toBe('openid email')
  const sub = oauth.getValidatedIdTokenClaims(tokens)?.sub ?? ''

  const info = await oauth.userInfoRequest(as, client, tokens.access_token, http)
  expect(await oauth.processUserInfoResponse(as, client, sub, info)).toMatchObject({
    email: 'demo@example.com',
  })

  const rotation = await oauth.refreshTokenGrantRequest(as, client, auth, tokens.refresh_token ?? '', http)
  const next = await oauth.processRefreshTokenResponse(as, client, rotation)

  const introspection = await oauth.introspectionRequest(as, client, auth, next.access_token, http)
  expect(await oauth.processIntrospectionResponse(as, client, introspection)).toMatchObject({
    active: true,
    sub,
  })

  const revocation = await oauth.revocationRequest(as, client, auth, next.refresh_token ?? '', http)
  await oauth.processRevocationResponse(revocation)
  const after = await oauth.introspectionRequest(as, client, auth, next.access_token, http)
  expect(await oauth.processIntrospectionResponse(as, client, after)).toEqual({ active: false })
})

it('oauth4webapi finds the authorization server from the API, by the protected-resource metadata', async () => {
  const resource = new URL(server.baseUrl)
  const response = await oauth.resourceDiscoveryRequest(resource, http)
  const metadata = await oauth.processResourceDiscoveryResponse(resource, response)
  expect(metadata.authorization_servers).toEqual([server.baseUrl])
})

it('oauth4webapi reads the challenge of a refused token', async () => {
  const url = new URL(`${server.baseUrl}/api/notes`)
  const call = oauth.protectedResourceRequest('not-a-token', 'GET', url, undefined, null, http)
  await expect(call).rejects.toMatchObject({
    status: 401,
    cause: [
      {
        scheme: 'bearer',
        parameters: { error: 'invalid_token', resource_metadata: expect.stringContaining('/.well-known/') },
      },
    ],
  })
})
