import { authorizationRequest, registered } from '@grantkit/test-servers/client-libraries'
import * as oidc from 'openid-client'
import { afterAll, expect, it } from 'vitest'
import { runServer } from './running-server.ts'
import { user } from './signed-in-browser.ts'

/** Required PAR, by openid-client. oauth4webapi pushes in `fapi2/clients.night.test.ts`. */

const SCOPE = 'openid notes:read'

const server = await runServer({ PAR: 'required' })
afterAll(() => server.close())

async function request(more: Record<string, string> = {}) {
  const { parameters, checks } = await authorizationRequest({ scope: SCOPE, ...more })
  return { parameters, checks: { ...checks, idTokenExpected: true } }
}

it.each([
  ['none', oidc.None()],
  ['client_secret_post', oidc.ClientSecretPost()],
])('a client with %s pushes its request, and reveals nothing of it to the browser', async (method, auth) => {
  const config = await registered(server.baseUrl, { token_endpoint_auth_method: method }, auth)
  expect(config.serverMetadata().require_pushed_authorization_requests).toBe(true)
  const { parameters, checks } = await request()
  const url = await oidc.buildAuthorizationUrlWithPAR(config, parameters)
  expect([...url.searchParams.keys()].sort()).toEqual(['client_id', 'request_uri'])
  const callback = await user(server.baseUrl)(url.href)
  const tokens = await oidc.authorizationCodeGrant(config, callback, checks)
  expect([tokens.scope, tokens.claims()?.sub]).toEqual([SCOPE, 'demo-account'])
  const again = await fetch(url, { redirect: 'manual', headers: { accept: 'application/json' } })
  expect([again.status, await again.json()]).toMatchObject([400, { reason: 'request_uri_spent' }])
})

it('the longest allowed request passes sign-in and consent', async () => {
  const config = await registered(server.baseUrl)
  const { parameters, checks } = await request({ state: 'x'.repeat(3900) })
  const url = await oidc.buildAuthorizationUrlWithPAR(config, parameters)
  expect(url.searchParams.get('request_uri')?.length).toBeGreaterThan(5500)
  const tokens = await oidc.authorizationCodeGrant(config, await user(server.baseUrl)(url.href), checks)
  expect(tokens.scope).toBe(SCOPE)
})

it('a client gets errors of its request at the push, and access_denied by redirect', async () => {
  const config = await registered(server.baseUrl)
  const { parameters, checks } = await request()
  const wrong = oidc.buildAuthorizationUrlWithPAR(config, { ...parameters, scope: 'notes:reed' })
  await expect(wrong).rejects.toMatchObject({ error: 'invalid_scope', status: 400 })
  const url = await oidc.buildAuthorizationUrlWithPAR(config, parameters)
  const callback = await user(server.baseUrl)(url.href, { decision: 'deny' })
  await expect(oidc.authorizationCodeGrant(config, callback, checks)).rejects.toMatchObject({
    error: 'access_denied',
  })
})

it('a request that was not pushed is an error', async () => {
  const config = await registered(server.baseUrl)
  const { parameters } = await request({ state: 'a state' })
  const answer = await fetch(oidc.buildAuthorizationUrl(config, parameters), { redirect: 'manual' })
  const { searchParams } = new URL(String(answer.headers.get('location')))
  expect(Object.fromEntries(searchParams)).toMatchObject({ error: 'invalid_request', state: 'a state' })
})
