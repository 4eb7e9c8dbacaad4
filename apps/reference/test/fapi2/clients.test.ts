import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { folderInMemory } from '@grantkit/test-servers/folder-in-memory'
import { exportJWK } from 'jose'
import * as oauth from 'oauth4webapi'
import * as oidc from 'openid-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type NewStorage, newStorage } from '../new-storage.ts'
import { run } from '../program.ts'
import { type RunningService, runService } from '../service.ts'
import { user } from '../user.ts'

/** Two client libraries with what the profile demands: a signed assertion, a pushed request and a bound token. */

const REDIRECT_URI = 'https://suite.example/callback'
const SCOPE = 'openid profile courses:read'
/** Seconds by which a clock is so wrong that only a nonce helps. */
const SLOW_CLOCK = -900
const http = { [oauth.allowInsecureRequests]: true }

let folder: string
let storage: NewStorage
let service: RunningService
let key: CryptoKeyPair
let clientId: string
beforeAll(async () => {
  folder = await folderInMemory('keys')
  storage = await newStorage()
  service = await runService({ ...storage.environment, PROFILE: 'fapi2' })
  key = await oauth.generateKeyPair('ES256')
  clientId = await added(key)
})
afterAll(async () => {
  await service.close()
  await storage.close()
  await rm(folder, { recursive: true })
})

/** The operator adds it by the command, with a file of its public keys. */
async function added({ publicKey }: CryptoKeyPair): Promise<string> {
  const file = join(folder, 'jwks.json')
  await writeFile(file, JSON.stringify({ keys: [await exportJWK(publicKey)] }))
  const args = ['add', '--name', 'Ledger', '--redirect-uri', REDIRECT_URI, '--jwks', file, '--json']
  const environment = { ...storage.environment, PROFILE: 'fapi2' }
  const command = run('cli.ts integration', args, { environment })
  expect(await command.ended, command.output()).toBe(0)
  const { client_id, token_endpoint_auth_method } = JSON.parse(command.output().replace(/^[^{]*/, ''))
  expect(token_endpoint_auth_method).toBe('private_key_jwt')
  return client_id
}

const courses = () => new URL(`${service.baseUrl}/api/courses`)

describe('openid-client', () => {
  const discovered = (skew = 0) =>
    oidc.discovery(
      new URL(service.baseUrl),
      clientId,
      { id_token_signed_response_alg: 'ES256', [oidc.clockSkew]: skew },
      oidc.PrivateKeyJwt(key.privateKey),
      { execute: [oidc.allowInsecureRequests] },
    )

  it.each(['ES256', 'EdDSA', 'PS256'])(
    'pushes, redeems, calls and refreshes with a DPoP key for %s',
    async (alg) => {
      const config = await discovered()
      const DPoP = oidc.getDPoPHandle(config, await oidc.randomDPoPKeyPair(alg))
      const pkceCodeVerifier = oidc.randomPKCECodeVerifier()
      const [expectedState, expectedNonce] = [oidc.randomState(), oidc.randomNonce()]
      const parameters = {
        redirect_uri: REDIRECT_URI,
        scope: SCOPE,
        state: expectedState,
        nonce: expectedNonce,
        code_challenge: await oidc.calculatePKCECodeChallenge(pkceCodeVerifier),
        code_challenge_method: 'S256',
      }
      const url = await oidc.buildAuthorizationUrlWithPAR(config, parameters, { DPoP })
      const callback = await user(service.baseUrl)(url.href)
      const checks = { pkceCodeVerifier, expectedState, expectedNonce, idTokenExpected: true }
      const tokens = await oidc.authorizationCodeGrant(config, callback, checks, {}, { DPoP })
      expect([tokens.token_type, tokens.claims()?.sub]).toEqual(['dpop', 'demo-account'])
      const { access_token, refresh_token = '' } = tokens
      expect(await oidc.fetchUserInfo(config, access_token, 'demo-account', { DPoP })).toMatchObject({
        sub: 'demo-account',
      })
      const next = await oidc.refreshTokenGrant(config, refresh_token, {}, { DPoP })
      expect(next.refresh_token).toBe(refresh_token)
      const call = await oidc.fetchProtectedResource(
        config,
        next.access_token,
        courses(),
        'GET',
        null,
        undefined,
        { DPoP },
      )
      expect(await call.json()).toMatchObject({ total: 6 })
      await oidc.tokenRevocation(config, refresh_token)
      const late = oidc.refreshTokenGrant(config, refresh_token, {}, { DPoP })
      await expect(late).rejects.toMatchObject({ error: 'invalid_grant' })
    },
  )
})

describe('oauth4webapi', () => {
  it('does the same step by step, with a clock so slow that its proofs need a nonce', async () => {
    const issuer = new URL(service.baseUrl)
    const discovery = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...http })
    const as = await oauth.processDiscoveryResponse(issuer, discovery)
    expect([as.require_pushed_authorization_requests, as.registration_endpoint]).toEqual([true, undefined])
    const client = { client_id: clientId }
    const auth = oauth.PrivateKeyJwt(key.privateKey)
    const slow = { ...client, [oauth.clockSkew]: SLOW_CLOCK }
    const DPoP = oauth.DPoP(slow, await oauth.generateKeyPair('ES256'))
    const verifier = oauth.generateRandomCodeVerifier()
    const parameters = {
      response_type: 'code',
      redirect_uri: REDIRECT_URI,
      scope: 'courses:read',
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      dpop_jkt: await DPoP.calculateThumbprint(),
    }
    const answer = await oauth.pushedAuthorizationRequest(as, client, auth, parameters, http)
    const { request_uri } = await oauth.processPushedAuthorizationResponse(as, client, answer)
    const url = new URL(String(as.authorization_endpoint))
    url.search = String(new URLSearchParams({ client_id: clientId, request_uri }))
    const validated = oauth.validateAuthResponse(as, client, await user(service.baseUrl)(url.href))
    const options = { ...http, DPoP }
    const exchange = async () => {
      const args = [as, client, auth, validated, REDIRECT_URI, verifier, options] as const
      const sent = await oauth.authorizationCodeGrantRequest(...args)
      return oauth.processAuthorizationCodeResponse(as, client, sent)
    }
    const refused = await exchange().catch((error: unknown) => error)
    expect(oauth.isDPoPNonceError(refused)).toBe(true)
    const tokens = await exchange()
    expect([tokens.token_type, tokens.id_token]).toEqual(['dpop', undefined])
    const request = [tokens.access_token, 'GET', courses(), undefined, null, options] as const
    expect((await oauth.protectedResourceRequest(...request)).status).toBe(200)
  })
})
