import * as oauth from 'oauth4webapi'
import * as oidc from 'openid-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { run } from './program.ts'
import { type RunningService, runService } from './service.ts'
import { user } from './user.ts'

/** Client libraries with DPoP against a service that requires it. */

const REDIRECT_URI = 'http://127.0.0.1:49154/callback'
/** Seconds by which a clock is so wrong that only a nonce helps. */
const SLOW_CLOCK = -900

let service: RunningService
beforeAll(async () => {
  service = await runService({ DPOP: 'required' })
})
afterAll(() => service.close())

const courses = () => new URL(`${service.baseUrl}/api/courses`)

describe.each(['ES256', 'Ed25519'])('openid-client, with a key for %s', (alg) => {
  it.each([
    ['a good clock', 0],
    ['a slow clock, by a nonce at its second try', SLOW_CLOCK],
  ])('gets, uses and refreshes tokens with %s', async (_, skew) => {
    const metadata = { client_name: 'openid-client', redirect_uris: [REDIRECT_URI] }
    const config = await oidc.dynamicClientRegistration(
      new URL(service.baseUrl),
      { ...metadata, token_endpoint_auth_method: 'none', [oidc.clockSkew]: skew },
      oidc.None(),
      { execute: [oidc.allowInsecureRequests] },
    )
    const DPoP = oidc.getDPoPHandle(config, await oidc.randomDPoPKeyPair(alg))
    const jkt = await DPoP.calculateThumbprint()
    const pkceCodeVerifier = oidc.randomPKCECodeVerifier()
    const url = oidc.buildAuthorizationUrl(config, {
      redirect_uri: REDIRECT_URI,
      scope: 'openid courses:read',
      code_challenge: await oidc.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
      dpop_jkt: jkt,
    })
    const callback = await user(service.baseUrl)(url.href)
    const tokens = await oidc.authorizationCodeGrant(config, callback, { pkceCodeVerifier }, {}, { DPoP })
    expect(tokens.token_type).toBe('dpop')
    expect(await oidc.fetchUserInfo(config, tokens.access_token, 'demo-account', { DPoP })).toMatchObject({
      sub: 'demo-account',
    })
    await expectCourses(config, tokens.access_token, DPoP)

    const next = await oidc.refreshTokenGrant(config, tokens.refresh_token ?? '', {}, { DPoP })
    await expectCourses(config, next.access_token, DPoP)
    const thief = oidc.getDPoPHandle(config, await oidc.randomDPoPKeyPair(alg))
    const theft = oidc.refreshTokenGrant(config, next.refresh_token ?? '', {}, { DPoP: thief })
    await expect(theft).rejects.toMatchObject({ error: 'invalid_dpop_proof' })
    await oidc.tokenRevocation(config, next.refresh_token ?? '')
  })

  async function expectCourses(config: oidc.Configuration, token: string, DPoP: oidc.DPoPHandle) {
    const answer = await oidc.fetchProtectedResource(config, token, courses(), 'GET', null, undefined, {
      DPoP,
    })
    expect(await answer.json()).toMatchObject({ total: 6 })
  }
})

describe('oauth4webapi', () => {
  const http = { [oauth.allowInsecureRequests]: true }

  it('gets a nonce when it is required, and introspects a bound token', async () => {
    const issuer = new URL(service.baseUrl)
    const as = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, http))
    expect(as.dpop_signing_alg_values_supported).toContain('ES256')
    const registered = await oauth.dynamicClientRegistrationRequest(
      as,
      { redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: 'client_secret_post' },
      http,
    )
    const known = await oauth.processDynamicClientRegistrationResponse(registered)
    const client = { ...known, [oauth.clockSkew]: SLOW_CLOCK }
    const auth = oauth.ClientSecretPost(String(known.client_secret))
    const DPoP = oauth.DPoP(client, await oauth.generateKeyPair('ES256', { extractable: false }))

    const verifier = oauth.generateRandomCodeVerifier()
    const url = new URL(as.authorization_endpoint ?? '')
    url.search = String(
      new URLSearchParams({
        response_type: 'code',
        client_id: client.client_id,
        redirect_uri: REDIRECT_URI,
        scope: 'courses:read',
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      }),
    )
    const answer = oauth.validateAuthResponse(as, client, await user(service.baseUrl)(url.href))
    const exchange = async () => {
      const options = { ...http, DPoP }
      const sent = await oauth.authorizationCodeGrantRequest(
        as,
        client,
        auth,
        answer,
        REDIRECT_URI,
        verifier,
        options,
      )
      return oauth.processAuthorizationCodeResponse(as, client, sent)
    }
    const challenge = await exchange().catch((error: unknown) => error)
    expect(oauth.isDPoPNonceError(challenge)).toBe(true)
    const tokens = await exchange()

    const introspection = await oauth.introspectionRequest(as, client, auth, tokens.access_token, http)
    expect(await oauth.processIntrospectionResponse(as, client, introspection)).toMatchObject({
      active: true,
      token_type: 'DPoP',
      cnf: { jkt: await DPoP.calculateThumbprint() },
    })
    const options = { ...http, DPoP }
    const called = await oauth.protectedResourceRequest(
      tokens.access_token,
      'GET',
      courses(),
      undefined,
      null,
      options,
    )
    expect(called.status).toBe(200)
    const plain = { [oauth.allowInsecureRequests]: true }
    const stolen = oauth.protectedResourceRequest(
      tokens.access_token,
      'GET',
      courses(),
      undefined,
      null,
      plain,
    )
    await expect(stolen).rejects.toMatchObject({
      status: 401,
      cause: [
        { scheme: 'bearer', parameters: { error: 'invalid_token' } },
        { scheme: 'dpop', parameters: { algs: expect.stringContaining('ES256') } },
      ],
    })
  })
})

describe('the demo', () => {
  it('binds its tokens to a key with --dpop', async () => {
    const demo = run('commands/demo.ts', ['--no-open', '--dpop', '--url', service.baseUrl])
    await demo.printed('/oauth/authorize?')
    const [url = ''] = /http\S+\/oauth\/authorize\?\S+/.exec(demo.output()) ?? []
    await fetch(await user(service.baseUrl)(url))
    expect(await demo.ended, demo.output()).toBe(0)
    for (const text of ['its thumbprint', 'dpop', 'Watercolour basics', 'Refreshing'])
      expect(demo.output()).toContain(text)
  })
})
