import * as oidc from 'openid-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FRAMEWORKS } from '../src/frameworks/frameworks.ts'
import { type RunningService, runService } from './service.ts'
import { user } from './user.ts'

/** The whole flow, by an independent client library. */

const REDIRECT_URI = 'http://127.0.0.1:49152/callback'

let service: RunningService

async function register(
  metadata: Partial<oidc.ClientMetadata> = {},
  auth = oidc.None(),
): Promise<oidc.Configuration> {
  const wanted = {
    client_name: 'openid-client',
    redirect_uris: [REDIRECT_URI],
    token_endpoint_auth_method: 'none',
    ...metadata,
  }
  return oidc.dynamicClientRegistration(new URL(service.baseUrl), wanted, auth, {
    execute: [oidc.allowInsecureRequests],
  })
}

async function signIn(
  config: oidc.Configuration,
  parameters: Record<string, string> = {},
  scope = 'openid profile email courses:read',
) {
  const pkceCodeVerifier = oidc.randomPKCECodeVerifier()
  const checks = { pkceCodeVerifier, expectedState: oidc.randomState(), expectedNonce: oidc.randomNonce() }
  const url = oidc.buildAuthorizationUrl(config, {
    redirect_uri: REDIRECT_URI,
    scope,
    code_challenge: await oidc.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
    state: checks.expectedState,
    nonce: checks.expectedNonce,
    ...parameters,
  })
  const callback = await user(service.baseUrl)(url.href)
  return oidc.authorizationCodeGrant(
    config,
    callback,
    scope.includes('openid') ? checks : { ...checks, expectedNonce: undefined as never },
  )
}

describe.each(Object.keys(FRAMEWORKS))('openid-client, on %s', (FRAMEWORK) => {
  beforeAll(async () => {
    service = await runService({ FRAMEWORK })
  })
  afterAll(() => service.close())

  it('completes the whole flow as a public client', async () => {
    const config = await register()
    const tokens = await signIn(config, { resource: service.baseUrl })
    expect(tokens.scope).toBe('openid profile email courses:read')

    const claims = tokens.claims()
    expect(claims).toMatchObject({
      iss: service.baseUrl,
      sub: 'demo-account',
      aud: config.clientMetadata().client_id,
    })
    const userInfo = await oidc.fetchUserInfo(config, tokens.access_token, 'demo-account')
    expect(userInfo).toMatchObject({
      sub: 'demo-account',
      name: 'Dana Moore',
      email: 'demo@example.com',
      email_verified: true,
    })

    const courses = new URL(`${service.baseUrl}/api/courses`)
    const answer = await oidc.fetchProtectedResource(config, tokens.access_token, courses, 'GET')
    expect(await answer.json()).toMatchObject({ total: 6 })

    const next = await oidc.refreshTokenGrant(config, tokens.refresh_token ?? '')
    expect(next.claims()).toMatchObject({ sub: 'demo-account' })
    expect(next.refresh_token).not.toBe(tokens.refresh_token)

    await oidc.tokenRevocation(config, next.refresh_token ?? '')
    await expect(oidc.fetchProtectedResource(config, next.access_token, courses, 'GET')).rejects.toThrow()
    await expect(oidc.refreshTokenGrant(config, next.refresh_token ?? '')).rejects.toMatchObject({
      error: 'invalid_grant',
    })
  })

  it('completes it as a confidential client, and introspects', async () => {
    const config = await register(
      { token_endpoint_auth_method: 'client_secret_post' },
      oidc.ClientSecretPost(),
    )
    const tokens = await signIn(config, {}, 'openid courses:read')
    const live = await oidc.tokenIntrospection(config, tokens.access_token)
    expect(live).toMatchObject({
      active: true,
      scope: 'openid courses:read',
      sub: 'demo-account',
      token_type: 'Bearer',
    })
    await oidc.tokenRevocation(config, tokens.access_token)
    expect(await oidc.tokenIntrospection(config, tokens.access_token)).toEqual({ active: false })
  })

  it.each(['ES256', 'EdDSA'])('verifies an ID token signed with %s', async (id_token_signed_response_alg) => {
    const config = await register({ id_token_signed_response_alg })
    oidc.enableNonRepudiationChecks(config)
    expect((await signIn(config)).claims()?.sub).toBe('demo-account')
  })

  it('receives access_denied if the user denied', async () => {
    const config = await register()
    const verifier = oidc.randomPKCECodeVerifier()
    const state = oidc.randomState()
    const url = oidc.buildAuthorizationUrl(config, {
      redirect_uri: REDIRECT_URI,
      scope: 'courses:read',
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
    })
    const callback = await user(service.baseUrl)(url.href, { decision: 'deny' })
    const grant = oidc.authorizationCodeGrant(config, callback, {
      pkceCodeVerifier: verifier,
      expectedState: state,
    })
    await expect(grant).rejects.toMatchObject({ error: 'access_denied' })
  })

  it('cannot register a fixed https callback', async () => {
    const config = register({ redirect_uris: ['https://app.example/callback'] })
    await expect(config).rejects.toMatchObject({ error: 'invalid_redirect_uri', status: 400 })
  })
})
