import { authorizationRequest, discovered, http, REDIRECT_URI } from '@grantkit/test-servers/client-libraries'
import { exportJWK } from 'jose'
import * as oauth from 'oauth4webapi'
import * as oidc from 'openid-client'
import { afterAll, expect, it } from 'vitest'
import { runServer } from './running-server.ts'
import { user } from './signed-in-browser.ts'

/** Signed requests and responses, by openid-client and by oauth4webapi: one way in and one way out. */

const SCOPE = 'openid notes:read'
const server = await runServer({ REQUEST_OBJECTS: 'required', SIGNED_RESPONSES: 'required', PAR: 'on' })
afterAll(() => server.close())

const key = await oauth.generateKeyPair('ES256')
const { clientId } = await server.clients.add({
  clientName: 'Ledger',
  redirectUris: [REDIRECT_URI],
  tokenEndpointAuthMethod: 'private_key_jwt',
  jwks: { keys: [{ ...(await exportJWK(key.publicKey)), kid: 'one' }] },
})

function configured() {
  return oidc.discovery(new URL(server.baseUrl), clientId, undefined, oidc.PrivateKeyJwt(key.privateKey), {
    execute: [oidc.allowInsecureRequests, oidc.useJwtResponseMode, oidc.enableNonRepudiationChecks],
  })
}

const requestOf = () => authorizationRequest({ scope: SCOPE, max_age: '3600' })

it('openid-client signs its request, and verifies the answer and the ID token', async () => {
  const config = await configured()
  const { parameters, checks } = await requestOf()
  const signing = { key: key.privateKey, kid: 'one' }
  const url = await oidc.buildAuthorizationUrlWithJAR(config, parameters, signing)
  expect([...url.searchParams.keys()].sort()).toEqual(['client_id', 'request'])
  const callback = await user(server.baseUrl)(url.href)
  expect([...callback.searchParams.keys()]).toEqual(['response'])
  const expected = { ...checks, idTokenExpected: true, maxAge: 3600 }
  const tokens = await oidc.authorizationCodeGrant(config, callback, expected)
  expect([tokens.scope, tokens.claims()?.sub]).toEqual([SCOPE, 'demo-account'])
})

it('openid-client pushes what it signed, and the server has proof of it', async () => {
  const config = await configured()
  const { parameters, checks } = await requestOf()
  const signed = await oidc.buildAuthorizationUrlWithJAR(config, parameters, key.privateKey)
  const url = await oidc.buildAuthorizationUrlWithPAR(config, signed.searchParams)
  const accepted = server.events.findLast(({ type }) => type === 'request_object_accepted')
  expect(accepted).toMatchObject({ clientId, requestObject: signed.searchParams.get('request') })
  const callback = await user(server.baseUrl)(url.href)
  const expected = { ...checks, idTokenExpected: true, maxAge: 3600 }
  expect((await oidc.authorizationCodeGrant(config, callback, expected)).scope).toBe(SCOPE)
})

it('openid-client gets access_denied in a signed answer', async () => {
  const config = await configured()
  const { parameters, checks } = await requestOf()
  const url = await oidc.buildAuthorizationUrlWithJAR(config, parameters, key.privateKey)
  const callback = await user(server.baseUrl)(url.href, { decision: 'deny' })
  expect([...callback.searchParams.keys()]).toEqual(['response'])
  await expect(oidc.authorizationCodeGrant(config, callback, checks)).rejects.toMatchObject({
    error: 'access_denied',
  })
})

it('oauth4webapi does the same step by step', async () => {
  const as = await discovered(server.baseUrl, 'oidc')
  const client = { client_id: clientId }
  const { parameters, checks } = await requestOf()
  const wanted = { ...parameters, response_type: 'code', response_mode: 'jwt' }
  const request = await oauth.issueRequestObject(as, client, wanted, key.privateKey)
  const url = new URL(String(as.authorization_endpoint))
  url.search = String(new URLSearchParams({ client_id: clientId, request }))
  const callback = await user(server.baseUrl)(url.href)
  const state = checks.expectedState
  const validated = await oauth.validateJwtAuthResponse(as, client, callback, state, http)
  const auth = oauth.PrivateKeyJwt(key.privateKey)
  const args = [as, client, auth, validated, REDIRECT_URI, checks.pkceCodeVerifier, http] as const
  const sent = await oauth.authorizationCodeGrantRequest(...args)
  const tokens = await oauth.processAuthorizationCodeResponse(as, client, sent, { requireIdToken: true })
  expect(tokens.scope).toBe(SCOPE)
})

it('a request that is not signed gets a signed error', async () => {
  const as = await discovered(server.baseUrl, 'oidc')
  const client = { client_id: clientId }
  const { parameters } = await requestOf()
  const url = new URL(String(as.authorization_endpoint))
  const wanted = { ...parameters, client_id: clientId, response_type: 'code', response_mode: 'jwt' }
  url.search = String(new URLSearchParams(wanted))
  const answer = await fetch(url, { redirect: 'manual' })
  const callback = new URL(String(answer.headers.get('location')))
  const validated = oauth.validateJwtAuthResponse(as, client, callback, parameters.state, http)
  await expect(validated).rejects.toMatchObject({ error: 'invalid_request' })
})
