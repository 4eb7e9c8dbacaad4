import * as oauth from 'oauth4webapi'
import * as oidc from 'openid-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningService, runService } from './service.ts'
import { user } from './user.ts'

/** Required PAR, by two independent client libraries. */

const REDIRECT_URI = 'http://127.0.0.1:49155/callback'
const SCOPE = 'openid courses:read'
const http = { [oauth.allowInsecureRequests]: true }

let service: RunningService
beforeAll(async () => {
  service = await runService({ PAR: 'required' })
})
afterAll(() => service.close())

describe('openid-client', () => {
  async function register(token_endpoint_auth_method: string, auth: oidc.ClientAuth) {
    const metadata = {
      client_name: 'openid-client',
      redirect_uris: [REDIRECT_URI],
      token_endpoint_auth_method,
    }
    return oidc.dynamicClientRegistration(new URL(service.baseUrl), metadata, auth, {
      execute: [oidc.allowInsecureRequests],
    })
  }

  async function request(expectedState = oidc.randomState()) {
    const pkceCodeVerifier = oidc.randomPKCECodeVerifier()
    const parameters = {
      redirect_uri: REDIRECT_URI,
      scope: SCOPE,
      code_challenge: await oidc.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
      state: expectedState,
    }
    return { parameters, checks: { pkceCodeVerifier, expectedState, idTokenExpected: true } }
  }

  it.each([
    ['none', oidc.None()],
    ['client_secret_post', oidc.ClientSecretPost()],
  ])(
    'pushes its request as a client with %s, and reveals nothing of it to the browser',
    async (method, auth) => {
      const config = await register(method, auth)
      const { parameters, checks } = await request()
      const url = await oidc.buildAuthorizationUrlWithPAR(config, parameters)
      expect([...url.searchParams.keys()].sort()).toEqual(['client_id', 'request_uri'])
      const callback = await user(service.baseUrl)(url.href)
      const tokens = await oidc.authorizationCodeGrant(config, callback, checks)
      expect([tokens.scope, tokens.claims()?.sub]).toEqual([SCOPE, 'demo-account'])
      const again = await fetch(url, { redirect: 'manual', headers: { accept: 'application/json' } })
      expect([again.status, await again.json()]).toMatchObject([400, { reason: 'request_uri_spent' }])
    },
  )

  it('pushes the longest allowed request, which passes sign-in and consent', async () => {
    const config = await register('none', oidc.None())
    const { parameters, checks } = await request('x'.repeat(3900))
    const url = await oidc.buildAuthorizationUrlWithPAR(config, parameters)
    expect(url.searchParams.get('request_uri')?.length).toBeGreaterThan(5500)
    const tokens = await oidc.authorizationCodeGrant(config, await user(service.baseUrl)(url.href), checks)
    expect(tokens.scope).toBe(SCOPE)
  })

  it('gets errors of its request at the push, and access_denied by redirect', async () => {
    const config = await register('none', oidc.None())
    const { parameters, checks } = await request()
    const wrong = oidc.buildAuthorizationUrlWithPAR(config, { ...parameters, scope: 'courses:reed' })
    await expect(wrong).rejects.toMatchObject({ error: 'invalid_scope', status: 400 })
    const url = await oidc.buildAuthorizationUrlWithPAR(config, parameters)
    const callback = await user(service.baseUrl)(url.href, { decision: 'deny' })
    await expect(oidc.authorizationCodeGrant(config, callback, checks)).rejects.toMatchObject({
      error: 'access_denied',
    })
  })

  it('cannot use a request that it did not push', async () => {
    const config = await register('none', oidc.None())
    const { parameters } = await request('a state')
    const url = oidc.buildAuthorizationUrl(config, parameters)
    const answer = await fetch(url, { redirect: 'manual' })
    const { searchParams } = new URL(String(answer.headers.get('location')))
    expect(Object.fromEntries(searchParams)).toMatchObject({ error: 'invalid_request', state: 'a state' })
  })
})

describe('oauth4webapi', () => {
  it('reads in the metadata that PAR is required, and pushes', async () => {
    const issuer = new URL(service.baseUrl)
    const discovered = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...http })
    const as = await oauth.processDiscoveryResponse(issuer, discovered)
    expect(as.require_pushed_authorization_requests).toBe(true)
    const metadata = { redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: 'client_secret_post' }
    const registration = await oauth.dynamicClientRegistrationRequest(as, metadata, http)
    const client = await oauth.processDynamicClientRegistrationResponse(registration)
    const auth = oauth.ClientSecretPost(String(client.client_secret))
    const verifier = oauth.generateRandomCodeVerifier()
    const parameters = {
      ...{ response_type: 'code', redirect_uri: REDIRECT_URI, scope: 'courses:read', state: 's' },
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    }
    const answer = await oauth.pushedAuthorizationRequest(as, client, auth, parameters, http)
    const { request_uri, expires_in } = await oauth.processPushedAuthorizationResponse(as, client, answer)
    expect(expires_in).toBe(60)
    const url = new URL(String(as.authorization_endpoint))
    url.search = String(new URLSearchParams({ client_id: client.client_id, request_uri }))
    const callback = await user(service.baseUrl)(url.href)
    const validated = oauth.validateAuthResponse(as, client, callback, 's')
    const exchange = await oauth.authorizationCodeGrantRequest(
      ...([as, client, auth, validated, REDIRECT_URI, verifier, http] as const),
    )
    const tokens = await oauth.processAuthorizationCodeResponse(as, client, exchange)
    expect(tokens.scope).toBe('courses:read')
  })
})
