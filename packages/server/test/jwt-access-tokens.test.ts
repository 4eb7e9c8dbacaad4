import { createJwtResourceServer, revokedTokens } from '@grantkit/core/jwt-resource-server'
import { discovered, http } from '@grantkit/test-servers/client-libraries'
import { newStorage } from '@grantkit/test-servers/new-storage'
import { decodeJwt } from 'jose'
import * as oauth from 'oauth4webapi'
import { afterAll, expect, it } from 'vitest'
import { runServer, WITH_API } from './running-server.ts'
import { type SignedIn, signedIn } from './signed-in-browser.ts'

/** Signed access tokens through the whole server: at its own guard, and at one that has nothing but the public keys. */

const storage = await newStorage()
const server = await runServer(
  { ...storage.environment, JWT_ACCESS_TOKENS: 'on', CLIENT_AUTHENTICATION: 'none,client_secret_post' },
  {},
  WITH_API,
)
const { baseUrl, config } = server
afterAll(async () => {
  await server.close()
  await storage.close()
})

const callApi = (token: string) =>
  fetch(`${baseUrl}/api/notes`, { headers: { authorization: `Bearer ${token}` } })

it('are accepted by a library that knows RFC 9068, and by the server', async () => {
  const { access_token } = await signedIn(baseUrl, 'notes:read', baseUrl)
  const as = await discovered(baseUrl)
  const request = new Request(`${baseUrl}/api/notes`, {
    headers: { authorization: `Bearer ${access_token}` },
  })
  expect(await oauth.validateJwtAccessToken(as, request, baseUrl, http)).toMatchObject({
    iss: baseUrl,
    aud: baseUrl,
    scope: 'notes:read',
  })
  expect((await callApi(access_token)).status).toBe(200)
})

it.each([
  [
    'by their app',
    async ({ client_id, access_token: token }: SignedIn) => {
      const body = new URLSearchParams({ client_id, token })
      expect((await fetch(`${baseUrl}/api/oauth/revoke`, { method: 'POST', body })).status).toBe(200)
    },
  ],
  [
    'by a process without the setting of signed tokens, as a command is',
    async () => {
      const command = await runServer(storage.environment)
      await command.grants.revokeAll('demo-account')
      await command.close()
    },
  ],
])(
  'that are revoked %s are rejected at once, and by an edge after its next poll of the feed',
  async (_, revoke) => {
    const app = await signedIn(baseUrl, 'notes:read', baseUrl)
    const { access_token } = app
    const integration = await server.clients.add({
      clientName: 'Edge',
      redirectUris: ['https://edge.example/callback'],
      tokenEndpointAuthMethod: 'client_secret_post',
      resourceServer: true,
    })
    const ended = revokedTokens({
      address: `${baseUrl}/api/oauth/ended`,
      clientId: integration.clientId,
      clientSecret: String(integration.clientSecret),
      every: 3600,
    })
    const keys = `${baseUrl}/api/oauth/jwks`
    const edge = createJwtResourceServer({
      issuer: baseUrl,
      resource: baseUrl,
      scopes: config.scopes,
      keys,
      ended,
    })
    const headers = { authorization: `Bearer ${access_token}` }
    const request = { method: 'GET', path: '/', query: '', body: '', headers }
    await ended.refresh()
    expect((await edge.access(request, 'notes:read')).kind).toBe('authorized')
    await revoke(app)
    expect((await callApi(access_token)).status).toBe(401)
    await ended.refresh()
    expect((await edge.access(request, 'notes:read')).kind).toBe('refused')
    ended.close()
  },
)

it('have the configured lifetime', async () => {
  const short = await runServer({ JWT_ACCESS_TOKENS: 'on', JWT_ACCESS_TOKEN_LIFETIME: '120' })
  const { access_token } = await signedIn(short.baseUrl, 'notes:read', short.baseUrl)
  const { exp = 0, iat = 0 } = decodeJwt(access_token)
  expect(exp - iat).toBe(120)
  await short.close()
})
