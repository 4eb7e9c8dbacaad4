import { formBrowser } from '@grantkit/testkit/client'
import * as oidc from 'openid-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { directory, type Server, STANDARD_SCOPES } from '../src/index.ts'
import { createdServer } from './created-server.ts'

/** Organizations of a claim of the user over HTTP, with openid-client. */

const REDIRECT_URI = 'http://127.0.0.1:49152/callback'
const ACME = { id: 'org_acme', name: 'Acme' }
const BIRCH = { id: 'org_birch', name: 'Birch & Sons' }

const alice: { sub: string; name: string; teams: unknown } = { sub: 'u-7', name: 'Alice', teams: [] }
let server: Server
let listening: Awaited<ReturnType<Server['listen']>>
beforeAll(async () => {
  const people = directory({ find: async () => alice, verifyPassword: async () => alice })
  server = await createdServer({
    users: people,
    scopes: STANDARD_SCOPES,
    features: { organizations: { from: 'teams', none: 'refuse' } },
  })
  listening = await server.listen()
})
afterAll(async () => {
  await listening.close()
  await server.close()
})

async function openClient() {
  const client = { clientName: 'Portal', redirectUris: [REDIRECT_URI], resourceServer: true }
  const { clientId, clientSecret } = await server.clients.add(client)
  const execute = [oidc.allowInsecureRequests]
  const { baseUrl } = server.config
  return oidc.discovery(new URL(baseUrl), clientId, clientSecret, undefined, { execute })
}

async function signedIn(config: oidc.Configuration, parameters: Record<string, string> = {}) {
  const pkceCodeVerifier = oidc.randomPKCECodeVerifier()
  const url = oidc.buildAuthorizationUrl(config, {
    ...{ redirect_uri: REDIRECT_URI, scope: 'openid', code_challenge_method: 'S256' },
    code_challenge: await oidc.calculatePKCECodeChallenge(pkceCodeVerifier),
    ...parameters,
  })
  const typed = { email: 'alice', password: 'secret' }
  const browser = formBrowser({ origin: server.config.baseUrl, typed })
  return oidc.authorizationCodeGrant(config, await browser(url.href), { pkceCodeVerifier })
}

describe('openid-client', () => {
  it('names an organization, and gets it in the ID token, in introspection and after a refresh', async () => {
    alice.teams = [ACME, BIRCH]
    const config = await openClient()
    const tokens = await signedIn(config, { organization: BIRCH.id })
    expect(tokens.claims()).toMatchObject({ org_id: BIRCH.id, org_name: BIRCH.name })
    const next = await oidc.refreshTokenGrant(config, String(tokens.refresh_token))
    const seen = await oidc.tokenIntrospection(config, next.access_token)
    expect(seen).toMatchObject({ active: true, org_id: BIRCH.id })
  })

  it('gets the only organization of a user without naming it, also from a list of names', async () => {
    alice.teams = ['Acme']
    const tokens = await signedIn(await openClient())
    expect(tokens.claims()).toMatchObject({ org_id: 'Acme', org_name: 'Acme' })
  })

  it('gets access_denied for a user without an organization, and an error that passes for a broken list', async () => {
    alice.teams = []
    const config = await openClient()
    await expect(signedIn(config)).rejects.toMatchObject({ error: 'access_denied' })
    alice.teams = [{ name: 'an organization without an id' }]
    await expect(signedIn(config)).rejects.toMatchObject({ error: 'temporarily_unavailable' })
  })

  it('loses the grant of a user who left the organization', async () => {
    alice.teams = [ACME]
    const config = await openClient()
    const { refresh_token } = await signedIn(config)
    alice.teams = [BIRCH]
    await expect(oidc.refreshTokenGrant(config, String(refresh_token))).rejects.toMatchObject({
      error: 'invalid_grant',
    })
  })
})
