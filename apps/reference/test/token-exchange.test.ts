import { ACCESS_TOKEN_TYPE, TOKEN_EXCHANGE } from '@grantkit/core/token-exchange'
import * as oauth from 'oauth4webapi'
import * as oidc from 'openid-client'
import { afterAll, expect, it } from 'vitest'
import { authorizationRequest, discovered, http, registered } from './client-libraries.ts'
import { runService } from './service.ts'
import { user } from './user.ts'

/** An agent and an API exchange tokens for narrower ones, by two independent client libraries. */

const GRANT_TYPES = ['authorization_code', 'refresh_token', TOKEN_EXCHANGE]

const service = await runService({ TOKEN_EXCHANGE: 'on' })
afterAll(() => service.close())

/** An agent that signed a user in. */
async function agentWithTokens() {
  const agent = await registered(service.baseUrl, { client_name: 'An agent', grant_types: GRANT_TYPES })
  const scope = 'courses:read courses:write students:read'
  const { parameters, checks } = await authorizationRequest({ scope })
  const callback = await user(service.baseUrl)(oidc.buildAuthorizationUrl(agent, parameters).href)
  return { agent, tokens: await oidc.authorizationCodeGrant(agent, callback, checks) }
}

function exchange(config: oidc.Configuration, subject_token: string, more: Record<string, string>) {
  const types = { subject_token, subject_token_type: ACCESS_TOKEN_TYPE }
  return oidc.genericGrantRequest(config, TOKEN_EXCHANGE, { ...types, ...more })
}

function get(path: string, token: string) {
  return fetch(service.baseUrl + path, { headers: { authorization: `Bearer ${token}` } })
}

it('openid-client exchanges a token for one that only reads courses, which is revoked with its own', async () => {
  const { agent, tokens } = await agentWithTokens()
  const sub = await exchange(agent, tokens.access_token, { scope: 'courses:read', expires_in: '60' })
  expect(sub).toMatchObject({ issued_token_type: ACCESS_TOKEN_TYPE, scope: 'courses:read', expires_in: 60 })
  expect((await get('/api/courses', sub.access_token)).status).toBe(200)
  expect((await get('/api/students', sub.access_token)).status).toBe(403)
  await oidc.tokenRevocation(agent, tokens.access_token)
  expect((await get('/api/courses', sub.access_token)).status).toBe(401)
})

it('oauth4webapi exchanges the token of its caller at an API, and introspection shows the actor', async () => {
  const { tokens } = await agentWithTokens()
  const as = await discovered(service.baseUrl)
  expect(as.grant_types_supported).toContain(TOKEN_EXCHANGE)
  const added = await service.clients.add({
    clientName: 'An API',
    redirectUris: ['https://api.example/callback'],
    grantTypes: GRANT_TYPES,
    tokenExchangeResources: [service.baseUrl],
  })
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
