import {
  authorizationRequest,
  authorizationUrl,
  discovered,
  http,
  REDIRECT_URI,
  registered,
} from '@grantkit/test-servers/client-libraries'
import * as oauth from 'oauth4webapi'
import * as oidc from 'openid-client'
import { afterAll, expect, it } from 'vitest'
import { runServer, WITH_API } from './running-server.ts'
import { user } from './signed-in-browser.ts'

/** Client libraries with DPoP against a server that requires it. */

/** Seconds by which a clock is so wrong that only a nonce helps. */
const SLOW_CLOCK = -900

const server = await runServer({ DPOP: 'required' }, {}, WITH_API)
afterAll(() => server.close())

const notes = new URL(`${server.baseUrl}/api/notes`)

async function expectNotes(config: oidc.Configuration, token: string, DPoP: oidc.DPoPHandle) {
  const how = { DPoP }
  const answer = await oidc.fetchProtectedResource(config, token, notes, 'GET', null, undefined, how)
  expect(await answer.json()).toEqual([])
}

it.each([
  ['ES256', 'a good clock', 0],
  ['Ed25519', 'a slow clock, by a nonce at its second try', SLOW_CLOCK],
])('openid-client, with a key for %s, gets, uses and refreshes tokens with %s', async (alg, _, skew) => {
  const config = await registered(server.baseUrl, { [oidc.clockSkew]: skew })
  const DPoP = oidc.getDPoPHandle(config, await oidc.randomDPoPKeyPair(alg))
  const dpop_jkt = await DPoP.calculateThumbprint()
  const { parameters, checks } = await authorizationRequest({ scope: 'openid notes:read', dpop_jkt })
  const callback = await user(server.baseUrl)(oidc.buildAuthorizationUrl(config, parameters).href)
  const tokens = await oidc.authorizationCodeGrant(config, callback, checks, {}, { DPoP })
  expect(tokens.token_type).toBe('dpop')
  expect(await oidc.fetchUserInfo(config, tokens.access_token, 'demo-account', { DPoP })).toMatchObject({
    sub: 'demo-account',
  })
  await expectNotes(config, tokens.access_token, DPoP)

  const next = await oidc.refreshTokenGrant(config, tokens.refresh_token ?? '', {}, { DPoP })
  await expectNotes(config, next.access_token, DPoP)
  const thief = oidc.getDPoPHandle(config, await oidc.randomDPoPKeyPair(alg))
  const theft = oidc.refreshTokenGrant(config, next.refresh_token ?? '', {}, { DPoP: thief })
  await expect(theft).rejects.toMatchObject({ error: 'invalid_dpop_proof' })
  await oidc.tokenRevocation(config, next.refresh_token ?? '')
})

it('oauth4webapi gets a nonce when it is required, and introspects a bound token', async () => {
  const as = await discovered(server.baseUrl, 'oidc')
  expect(as.dpop_signing_alg_values_supported).toContain('ES256')
  const metadata = { redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: 'client_secret_post' }
  const registration = await oauth.dynamicClientRegistrationRequest(as, metadata, http)
  const known = await oauth.processDynamicClientRegistrationResponse(registration)
  const client = { ...known, [oauth.clockSkew]: SLOW_CLOCK }
  const auth = oauth.ClientSecretPost(String(known.client_secret))
  const DPoP = oauth.DPoP(client, await oauth.generateKeyPair('ES256', { extractable: false }))
  const options = { ...http, DPoP }

  const verifier = oauth.generateRandomCodeVerifier()
  const requested = { client_id: client.client_id, scope: 'notes:read' }
  const url = await authorizationUrl(as, verifier, requested)
  const answer = oauth.validateAuthResponse(as, client, await user(server.baseUrl)(url))
  const exchange = async () => {
    const args = [as, client, auth, answer, REDIRECT_URI, verifier, options] as const
    const sent = await oauth.authorizationCodeGrantRequest(...args)
    return oauth.processAuthorizationCodeResponse(as, client, sent)
  }
  const challenge = await exchange().catch((error: unknown) => error)
  expect(oauth.isDPoPNonceError(challenge)).toBe(true)
  const { access_token } = await exchange()

  const introspection = await oauth.introspectionRequest(as, client, auth, access_token, http)
  expect(await oauth.processIntrospectionResponse(as, client, introspection)).toMatchObject({
    active: true,
    token_type: 'DPoP',
    cnf: { jkt: await DPoP.calculateThumbprint() },
  })
  const call = (how: oauth.ProtectedResourceRequestOptions) =>
    oauth.protectedResourceRequest(access_token, 'GET', notes, undefined, null, how)
  expect((await call(options)).status).toBe(200)
  await expect(call(http), 'without the key').rejects.toMatchObject({
    status: 401,
    cause: [
      { scheme: 'bearer', parameters: { error: 'invalid_token' } },
      { scheme: 'dpop', parameters: { algs: expect.stringContaining('ES256') } },
    ],
  })
})
