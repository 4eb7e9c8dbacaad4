import { ACCESS_TOKEN_TYPE, TOKEN_EXCHANGE } from '@grantkit/core/token-exchange'
import * as oauth from 'oauth4webapi'
import * as oidc from 'openid-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningService, runService } from './service.ts'
import { user } from './user.ts'

/** An agent and an API exchange tokens for narrower ones, by two independent client libraries. */

const REDIRECT_URI = 'http://127.0.0.1:49154/callback'
const GRANT_TYPES = ['authorization_code', 'refresh_token', TOKEN_EXCHANGE]
const http = { [oauth.allowInsecureRequests]: true }

let service: RunningService
beforeAll(async () => {
  service = await runService({ TOKEN_EXCHANGE: 'on' })
})
afterAll(() => service.close())

/** An agent that signed a user in. */
async function agentWithTokens() {
  const metadata = { client_name: 'An agent', redirect_uris: [REDIRECT_URI], grant_types: GRANT_TYPES }
  const agent = await oidc.dynamicClientRegistration(
    new URL(service.baseUrl),
    { ...metadata, token_endpoint_auth_method: 'none' },
    oidc.None(),
    { execute: [oidc.allowInsecureRequests] },
  )
  const pkceCodeVerifier = oidc.randomPKCECodeVerifier()
  const expectedState = oidc.randomState()
  const url = oidc.buildAuthorizationUrl(agent, {
    redirect_uri: REDIRECT_URI,
    scope: 'courses:read courses:write students:read',
    code_challenge: await oidc.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
    state: expectedState,
  })
  const callback = await user(service.baseUrl)(url.href)
  return {
    agent,
    tokens: await oidc.authorizationCodeGrant(agent, callback, { pkceCodeVerifier, expectedState }),
  }
}

function exchange(config: oidc.Configuration, subject_token: string, more: Record<string, string> = {}) {
  const types = { subject_token, subject_token_type: ACCESS_TOKEN_TYPE }
  return oidc.genericGrantRequest(config, TOKEN_EXCHANGE, { ...types, ...more })
}

function get(path: string, token: string) {
  return fetch(service.baseUrl + path, { headers: { authorization: `Bearer ${token}` } })
}

/** An integration that is the resource `resource`. */
async function addApi(resource: string) {
  return service.clients.add({
    clientName: 'An API',
    redirectUris: ['https://api.example/callback'],
    grantTypes: GRANT_TYPES,
    tokenExchangeResources: [resource],
  })
}

describe('openid-client', () => {
  it('exchanges a token for one that only reads courses, which is revoked with its own', async () => {
    const { agent, tokens } = await agentWithTokens()
    const sub = await exchange(agent, tokens.access_token, { scope: 'courses:read', expires_in: '60' })
    expect(sub).toMatchObject({ issued_token_type: ACCESS_TOKEN_TYPE, scope: 'courses:read', expires_in: 60 })
    expect((await get('/api/courses', sub.access_token)).status).toBe(200)
    expect((await get('/api/students', sub.access_token)).status).toBe(403)
    await oidc.tokenRevocation(agent, tokens.access_token)
    expect((await get('/api/courses', sub.access_token)).status).toBe(401)
  })

  it('gets an error for a scope that it does not have', async () => {
    const { agent, tokens } = await agentWithTokens()
    const sub = await exchange(agent, tokens.access_token, { scope: 'courses:read' })
    const refused = (token: string, more: Record<string, string>, error: string) =>
      expect(exchange(agent, token, more)).rejects.toMatchObject({ error, status: 400 })
    await refused(sub.access_token, { scope: 'courses:write' }, 'invalid_scope')
    await refused(sub.access_token, { resource: 'https://elsewhere.example' }, 'invalid_target')
    await refused(String(tokens.refresh_token), {}, 'invalid_request')
  })
})

describe('oauth4webapi', () => {
  it('exchanges the token of its caller at an API, and introspection shows the actor', async () => {
    const { tokens } = await agentWithTokens()
    const issuer = new URL(service.baseUrl)
    const discovered = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...http })
    const as = await oauth.processDiscoveryResponse(issuer, discovered)
    expect(as.grant_types_supported).toContain(TOKEN_EXCHANGE)
    const added = await addApi(service.baseUrl)
    const client = { client_id: added.clientId }
    const auth = oauth.ClientSecretPost(String(added.clientSecret))

    const parameters = {
      subject_token: tokens.access_token,
      subject_token_type: ACCESS_TOKEN_TYPE,
      scope: 'students:read',
    }
    const answer = await oauth.genericTokenEndpointRequest(as, client, auth, TOKEN_EXCHANGE, parameters, http)
    const child = await oauth.processGenericTokenEndpointResponse(as, client, answer)
    expect((await get('/api/students', child.access_token)).status).toBe(200)

    const request = await oauth.introspectionRequest(as, client, auth, child.access_token, http)
    expect(await oauth.processIntrospectionResponse(as, client, request)).toMatchObject({
      active: true,
      ...{ sub: 'demo-account', scope: 'students:read', client_id: added.clientId },
      act: { sub: added.clientId },
    })
  })
})
