import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { authorizationRequest, discovered, http } from '@grantkit/test-servers/client-libraries'
import { folderInMemory } from '@grantkit/test-servers/folder-in-memory'
import { exportJWK } from 'jose'
import * as oauth from 'oauth4webapi'
import * as oidc from 'openid-client'
import { afterAll, expect, it } from 'vitest'
import { newStorage } from '../new-storage.ts'
import { run } from '../program.ts'
import { runService } from '../service.ts'
import { user } from '../user.ts'

/** Two client libraries with what the profile demands: a signed assertion, a pushed request and a bound token. */

const REDIRECT_URI = 'https://suite.example/callback'
const SCOPE = 'openid profile courses:read'
/** Seconds by which a clock is so wrong that only a nonce helps. */
const SLOW_CLOCK = -900

const folder = await folderInMemory('keys')
const storage = await newStorage()
const service = await runService({ ...storage.environment, PROFILE: 'fapi2' })
const key = await oauth.generateKeyPair('ES256')
const clientId = await added(key)
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
  const command = run('cli.ts clients', args, { environment })
  expect(await command.ended, command.output()).toBe(0)
  const { client_id, token_endpoint_auth_method } = JSON.parse(command.output().replace(/^[^{]*/, ''))
  expect(token_endpoint_auth_method).toBe('private_key_jwt')
  return client_id
}

const courses = new URL(`${service.baseUrl}/api/courses`)

it('openid-client pushes, redeems, calls and refreshes', async () => {
  const config = await oidc.discovery(
    new URL(service.baseUrl),
    clientId,
    { id_token_signed_response_alg: 'ES256' },
    oidc.PrivateKeyJwt(key.privateKey),
    { execute: [oidc.allowInsecureRequests] },
  )
  const DPoP = oidc.getDPoPHandle(config, await oidc.randomDPoPKeyPair())
  const nonce = oidc.randomNonce()
  const { parameters, checks } = await authorizationRequest({
    redirect_uri: REDIRECT_URI,
    scope: SCOPE,
    nonce,
  })
  const url = await oidc.buildAuthorizationUrlWithPAR(config, parameters, { DPoP })
  const callback = await user(service.baseUrl)(url.href)
  const expected = { ...checks, expectedNonce: nonce, idTokenExpected: true }
  const tokens = await oidc.authorizationCodeGrant(config, callback, expected, {}, { DPoP })
  expect([tokens.token_type, tokens.claims()?.sub]).toEqual(['dpop', 'demo-account'])
  const { access_token, refresh_token = '' } = tokens
  expect(await oidc.fetchUserInfo(config, access_token, 'demo-account', { DPoP })).toMatchObject({
    sub: 'demo-account',
  })
  const next = await oidc.refreshTokenGrant(config, refresh_token, {}, { DPoP })
  expect(next.refresh_token).toBe(refresh_token)
  const args = [config, next.access_token, courses, 'GET', null, undefined, { DPoP }] as const
  expect(await (await oidc.fetchProtectedResource(...args)).json()).toMatchObject({ total: 6 })
  await oidc.tokenRevocation(config, refresh_token)
  const late = oidc.refreshTokenGrant(config, refresh_token, {}, { DPoP })
  await expect(late).rejects.toMatchObject({ error: 'invalid_grant' })
})

it('oauth4webapi does the same step by step, with a clock so slow that its proofs need a nonce', async () => {
  const as = await discovered(service.baseUrl)
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
  const request = [tokens.access_token, 'GET', courses, undefined, null, options] as const
  expect((await oauth.protectedResourceRequest(...request)).status).toBe(200)
})
