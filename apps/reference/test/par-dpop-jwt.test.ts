import { createRemoteJWKSet, jwtVerify } from 'jose'
import * as oauth from 'oauth4webapi'
import * as oidc from 'openid-client'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningService, runService } from './service.ts'
import { user } from './user.ts'

/** PAR, DPoP and JWT access tokens together, by three independent libraries: client, API and verifier. */

const REDIRECT_URI = 'http://127.0.0.1:49156/callback'
/** Seconds by which the clock of the client is so wrong that only a nonce helps. */
const SLOW_CLOCK = -900

let service: RunningService
beforeAll(async () => {
  service = await runService({ PAR: 'required', DPOP: 'required', JWT_ACCESS_TOKENS: 'on' })
})
afterAll(() => service.close())

async function register(skew = 0): Promise<oidc.Configuration> {
  const metadata = { client_name: 'openid-client', redirect_uris: [REDIRECT_URI] }
  return oidc.dynamicClientRegistration(
    new URL(service.baseUrl),
    { ...metadata, token_endpoint_auth_method: 'none', [oidc.clockSkew]: skew },
    oidc.None(),
    { execute: [oidc.allowInsecureRequests] },
  )
}

/** Pushes with a proof, which binds the code, and redeems it with the same key. */
async function signIn(config: oidc.Configuration, DPoP: oidc.DPoPHandle) {
  const pkceCodeVerifier = oidc.randomPKCECodeVerifier()
  const parameters = {
    redirect_uri: REDIRECT_URI,
    scope: 'openid courses:read',
    resource: service.baseUrl,
    code_challenge: await oidc.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
  }
  const url = await oidc.buildAuthorizationUrlWithPAR(config, parameters, { DPoP })
  expect([...url.searchParams.keys()].sort()).toEqual(['client_id', 'request_uri'])
  const callback = await user(service.baseUrl)(url.href)
  return { callback, pkceCodeVerifier }
}

/** The request of an API call as the client library makes it. */
async function requestOf(config: oidc.Configuration, token: string, DPoP: oidc.DPoPHandle): Promise<Request> {
  const url = new URL(`${service.baseUrl}/api/courses`)
  let sent: Request | undefined
  config[oidc.customFetch] = (target, { body: _, ...options }) => {
    sent = new Request(target, options as RequestInit)
    return fetch(sent.clone())
  }
  const answer = await oidc.fetchProtectedResource(config, token, url, 'GET', null, undefined, { DPoP })
  expect(await answer.json()).toMatchObject({ total: 6 })
  if (sent === undefined) throw new Error('Nothing was sent')
  return sent
}

it.each(['ES256', 'Ed25519'])(
  'a token by a pushed request is bound, signed and taken, with a key for %s',
  async (alg) => {
    const config = await register()
    const DPoP = oidc.getDPoPHandle(config, await oidc.randomDPoPKeyPair(alg))
    const jkt = await DPoP.calculateThumbprint()
    const { callback, pkceCodeVerifier } = await signIn(config, DPoP)
    const checks = { pkceCodeVerifier, idTokenExpected: true }
    const { access_token } = await oidc.authorizationCodeGrant(config, callback, checks, {}, { DPoP })

    const keys = createRemoteJWKSet(new URL(`${service.baseUrl}/api/oauth/jwks`))
    const expected = { issuer: service.baseUrl, audience: service.baseUrl, typ: 'at+jwt' }
    const { payload } = await jwtVerify(access_token, keys, expected)
    expect(payload).toMatchObject({ sub: 'demo-account', scope: 'openid courses:read', cnf: { jkt } })

    const as = config.serverMetadata()
    const options = { [oauth.allowInsecureRequests]: true, requireDPoP: true }
    const request = await requestOf(config, access_token, DPoP)
    expect(await oauth.validateJwtAccessToken(as, request, service.baseUrl, options)).toMatchObject({
      client_id: config.clientMetadata().client_id,
      cnf: { jkt },
    })
  },
)

it('a code of a pushed request is valid only for the key of its push, which needed a nonce', async () => {
  const config = await register(SLOW_CLOCK)
  const DPoP = oidc.getDPoPHandle(config, await oidc.randomDPoPKeyPair())
  const { callback, pkceCodeVerifier } = await signIn(config, DPoP)
  const thief = oidc.getDPoPHandle(config, await oidc.randomDPoPKeyPair())
  const redeem = (by: oidc.DPoPHandle) =>
    oidc.authorizationCodeGrant(config, callback, { pkceCodeVerifier }, {}, { DPoP: by })
  await expect(redeem(thief)).rejects.toMatchObject({ error: 'invalid_grant' })
  expect((await redeem(DPoP)).token_type).toBe('dpop')
})
