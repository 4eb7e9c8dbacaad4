import * as oauth from 'oauth4webapi'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningService, runService } from './service.ts'
import { user } from './user.ts'

/** The whole flow, step by step, by a library that checks every answer strictly against the RFCs. */

const REDIRECT_URI = 'http://127.0.0.1:49153/callback'
const http = { [oauth.allowInsecureRequests]: true }

let service: RunningService
beforeAll(async () => {
  service = await runService()
})
afterAll(() => service.close())

describe('oauth4webapi', () => {
  it.each(['oauth2', 'oidc'] as const)('works from %s discovery to revocation', async (algorithm) => {
    const issuer = new URL(service.baseUrl)
    const as = await oauth.processDiscoveryResponse(
      issuer,
      await oauth.discoveryRequest(issuer, { algorithm, ...http }),
    )
    expect(as).toMatchObject({ issuer: service.baseUrl, code_challenge_methods_supported: ['S256'] })

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
    const url = new URL(as.authorization_endpoint ?? '')
    const challenge = await oauth.calculatePKCECodeChallenge(verifier)
    const scope = 'openid email students:read'
    const request = {
      response_type: 'code',
      client_id: client.client_id,
      redirect_uri: REDIRECT_URI,
      scope,
      state: 's',
      nonce,
    }
    url.search = String(
      new URLSearchParams({ ...request, code_challenge: challenge, code_challenge_method: 'S256' }),
    )
    const callback = await user(service.baseUrl)(url.href, { without: ['students:read'] })
    const parameters = oauth.validateAuthResponse(as, client, callback, 's')

    const exchange = await oauth.authorizationCodeGrantRequest(
      as,
      client,
      auth,
      parameters,
      REDIRECT_URI,
      verifier,
      http,
    )
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

  it('finds the authorization server from the API, by the protected-resource metadata', async () => {
    const resource = new URL(service.baseUrl)
    const response = await oauth.resourceDiscoveryRequest(resource, http)
    const metadata = await oauth.processResourceDiscoveryResponse(resource, response)
    expect(metadata.authorization_servers).toEqual([service.baseUrl])
  })

  it('reads the challenge of a refused token', async () => {
    const call = oauth.protectedResourceRequest(
      'not-a-token',
      'GET',
      new URL(`${service.baseUrl}/api/students`),
      undefined,
      null,
      http,
    )
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
})
