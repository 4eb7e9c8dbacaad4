import { ACCESS_TOKEN_TYPE, TOKEN_EXCHANGE } from '@grantkit/core/token-exchange'
import { authorizationRequest, discovered, http, registered } from '@grantkit/test-servers/client-libraries'
import * as oauth from 'oauth4webapi'
import * as oidc from 'openid-client'
import { afterAll, expect, it } from 'vitest'
import { runServer, WITH_API } from './running-server.ts'
import { user } from './signed-in-browser.ts'

/** An agent and an API exchange tokens for narrower ones, by two independent client libraries. */

const GRANT_TYPES = ['authorization_code', 'refresh_token', TOKEN_EXCHANGE]

const scopes = {
  'notes:read': { description: 'Read your notes' },
  'notes:write': { description: 'Change your notes', access: 'write' as const },
}
const server = await runServer({ TOKEN_EXCHANGE: 'on' }, { scopes }, WITH_API)
afterAll(() => server.close())

/** An agent that signed a user in. */
async function agentWithTokens() {
  const agent = await registered(server.baseUrl, { client_name: 'An agent', grant_types: GRANT_TYPES })
  const scope = 'notes:read notes:write'
  const { parameters, checks } = await authorizationRequest({ scope })
  const callback = await user(server.baseUrl)(oidc.buildAuthorizationUrl(agent, parameters).href)
  return { agent, tokens: await oidc.authorizationCodeGrant(agent, callback, checks) }
}

function exchange(config: oidc.Configuration, subject_token: string, more: Record<string, string>) {
  const types = { subject_token, subject_token_type: ACCESS_TOKEN_TYPE }
  return oidc.genericGrantRequest(config, TOKEN_EXCHANGE, { ...types, ...more })
}

function call(method: 'GET' | 'POST', token: string) {
  return fetch(`${server.baseUrl}/api/notes`, { method, headers: { authorization: `Bearer ${token}` } })
}

it('openid-client exchanges a token for one that only reads notes, which is revoked with its own', async () => {
  const { agent, tokens } = await agentWithTokens()
  const sub = await exchange(agent, tokens.access_token, { scope: 'notes:read', expires_in: '60' })
  expect(sub).toMatchObject({ issued_token_type: ACCESS_TOKEN_TYPE, scope: 'notes:read', expires_in: 60 })
  expect((await call('GET', sub.access_token)).status).toBe(200)
  expect((await call('POST', sub.access_token)).status).toBe(403)
  await oidc.tokenRevocation(agent, tokens.access_token)
  expect((await call('GET', sub.access_token)).status).toBe(401)
})

it('oauth4webapi exchanges the token of its caller at an API, and introspection shows the actor', async () => {
  const { tokens } = await agentWithTokens()
  const as = await discovered(server.baseUrl)
  expect(as.grant_types_supported).toContain(TOKEN_EXCHANGE)
  const added = await server.clients.add({
    clientName: 'An API',
    redirectUris: ['https://api.example/callback'],
    grantTypes: GRANT_TYPES,
    tokenExchangeResources: [server.baseUrl],
  })
  const client = { client_id: added.clientId }
  const auth = oauth.ClientSecretPost(String(added.clientSecret))

  const parameters = {
    subject_token: tokens.access_token,
    subject_token_type: ACCESS_TOKEN_TYPE,
    scope: 'notes:read',
  }
  const answer = await oauth.genericTokenEndpointRequest(as, client, auth, TOKEN_EXCHANGE, parameters, http)
  const child = await oauth.processGenericTokenEndpointResponse(as, client, answer)
  expect((await call('GET', child.access_token)).status).toBe(200)

  const request = await oauth.introspectionRequest(as, client, auth, child.access_token, http)
  expect(await oauth.processIntrospectionResponse(as, client, request)).toMatchObject({
    active: true,
    ...{ sub: 'demo-account', scope: 'notes:read', client_id: added.clientId },
    act: { sub: added.clientId },
  })
})
