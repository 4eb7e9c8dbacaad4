import { authorizationRequest, http, registered } from '@grantkit/test-servers/client-libraries'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import * as oauth from 'oauth4webapi'
import * as oidc from 'openid-client'
import { afterAll, expect, it } from 'vitest'
import { runServer, WITH_API } from './running-server.ts'
import { user } from './signed-in-browser.ts'

/** PAR, DPoP and JWT access tokens together, by three independent libraries: client, API and verifier. */

/** Seconds by which the clock of the client is so wrong that only a nonce helps. */
const SLOW_CLOCK = -900

const server = await runServer({ PAR: 'required', DPOP: 'required', JWT_ACCESS_TOKENS: 'on' }, {}, WITH_API)
afterAll(() => server.close())

/** Pushes with a proof, which binds the code, and redeems it with the same key. */
async function signIn(config: oidc.Configuration, DPoP: oidc.DPoPHandle) {
  const { parameters, checks } = await authorizationRequest({
    scope: 'openid notes:read',
    resource: server.baseUrl,
  })
  const url = await oidc.buildAuthorizationUrlWithPAR(config, parameters, { DPoP })
  expect([...url.searchParams.keys()].sort()).toEqual(['client_id', 'request_uri'])
  return { callback: await user(server.baseUrl)(url.href), checks }
}

/** The request of an API call as the client library makes it. */
async function requestOf(config: oidc.Configuration, token: string, DPoP: oidc.DPoPHandle): Promise<Request> {
  const url = new URL(`${server.baseUrl}/api/notes`)
  let sent: Request | undefined
  config[oidc.customFetch] = (target, { body: _, ...options }) => {
    sent = new Request(target, options as RequestInit)
    return fetch(sent.clone())
  }
  const answer = await oidc.fetchProtectedResource(config, token, url, 'GET', null, undefined, { DPoP })
  expect(await answer.json()).toEqual([])
  if (sent === undefined) throw new Error('Nothing was sent')
  return sent
}

it('a token by a pushed request is bound, signed and taken', async () => {
  const config = await registered(server.baseUrl)
  const DPoP = oidc.getDPoPHandle(config, await oidc.randomDPoPKeyPair())
  const jkt = await DPoP.calculateThumbprint()
  const { callback, checks } = await signIn(config, DPoP)
  const expectations = { ...checks, idTokenExpected: true }
  const { access_token } = await oidc.authorizationCodeGrant(config, callback, expectations, {}, { DPoP })

  const keys = createRemoteJWKSet(new URL(`${server.baseUrl}/api/oauth/jwks`))
  const expected = { issuer: server.baseUrl, audience: server.baseUrl, typ: 'at+jwt' }
  const { payload } = await jwtVerify(access_token, keys, expected)
  expect(payload).toMatchObject({ sub: 'demo-account', scope: 'openid notes:read', cnf: { jkt } })

  const as = config.serverMetadata()
  const options = { ...http, requireDPoP: true }
  const request = await requestOf(config, access_token, DPoP)
  expect(await oauth.validateJwtAccessToken(as, request, server.baseUrl, options)).toMatchObject({
    client_id: config.clientMetadata().client_id,
    cnf: { jkt },
  })
})

it('a code of a pushed request is valid only for the key of its push, which needed a nonce', async () => {
  const config = await registered(server.baseUrl, { [oidc.clockSkew]: SLOW_CLOCK })
  const DPoP = oidc.getDPoPHandle(config, await oidc.randomDPoPKeyPair())
  const { callback, checks } = await signIn(config, DPoP)
  const thief = oidc.getDPoPHandle(config, await oidc.randomDPoPKeyPair())
  const redeem = (by: oidc.DPoPHandle) =>
    oidc.authorizationCodeGrant(config, callback, checks, {}, { DPoP: by })
  await expect(redeem(thief)).rejects.toMatchObject({ error: 'invalid_grant' })
  expect((await redeem(DPoP)).token_type).toBe('dpop')
})
