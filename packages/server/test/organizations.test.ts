import { formBrowser } from '@grantkit/testkit/client'
import * as oidc from 'openid-client'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { directory, type Server, STANDARD_SCOPES } from '../src/index.ts'
import { createdServer } from './created-server.ts'
import { browserOf } from './signed-in-browser.ts'

/** Organizations of a claim of the user over HTTP, with openid-client. */

const REDIRECT_URI = 'http://127.0.0.1:49152/callback'
const FAMILY = 'https://files.example/o/{organization}'
const ACME = { id: 'org_acme', name: 'Acme' }
const BIRCH = { id: 'org_birch', name: 'Birch & Sons' }

const alice: { sub: string; name: string; teams: unknown } = { sub: 'u-7', name: 'Alice', teams: [] }
const onEvent = vi.fn<(event: { readonly type: string }) => void>()
const onError = vi.fn()
let server: Server
let listening: Awaited<ReturnType<Server['listen']>>
beforeAll(async () => {
  const people = directory({ find: async () => alice, verifyPassword: async () => alice })
  const config = {
    users: people,
    resources: { 'https://files.example': { name: 'Files' }, [FAMILY]: { name: 'Files of one' } },
    scopes: { ...STANDARD_SCOPES, 'notes:read': { description: 'Read your notes', personal: true } },
    features: { organizations: { from: 'teams', none: 'refuse' }, personalTokens: { enabled: true } },
  } as const
  server = await createdServer(config, { observers: { onEvent, onError } })
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

describe('a user', () => {
  it('sees on the account page for which organization each app has access', async () => {
    alice.teams = [ACME, BIRCH]
    await signedIn(await openClient(), { organization: BIRCH.id })
    const { html } = await (await browserOf(server.config, 'alice'))('/account')
    expect(html).toContain('<dt>Organization</dt><dd><bdi>Birch &amp; Sons</bdi></dd>')
  })

  it('sees the tokens, and what is wrong, where a new one cannot be made', async () => {
    alice.teams = [ACME]
    const visit = await browserOf(server.config, 'alice')
    const ticket = /name="ticket" value="([^"]+)"/.exec((await visit('/account/tokens')).html)?.[1] ?? ''
    const form = {
      label: 'Weekly job',
      scope: 'notes:read',
      resource: server.config.baseUrl,
      days: '30',
      ticket,
    }
    await visit('/account/tokens', {}, { ...form, organization: ACME.id })
    alice.teams = []
    const none = await visit('/account/tokens')
    expect(none.status).toBe(200)
    expect(none.html).toContain('<bdi>Weekly job</bdi>')
    expect(none.html).toContain('You belong to no organization')
    alice.teams = 'a broken list'
    const down = await visit('/account/tokens')
    expect(down.html).toContain('<bdi>Weekly job</bdi>')
    expect(down.html).toContain('Please try again in a moment.')
  })

  it('sees the text of a new token, whatever breaks after it was made', async () => {
    alice.teams = [ACME]
    const visit = await browserOf(server.config, 'alice')
    const ticket = /name="ticket" value="([^"]+)"/.exec((await visit('/account/tokens')).html)?.[1] ?? ''
    const form = {
      label: 'Monthly job',
      scope: 'notes:read',
      resource: server.config.baseUrl,
      days: '30',
      ticket,
    }
    onError.mockClear()
    onEvent.mockImplementation(({ type }) => {
      if (type === 'personal_token_created') alice.teams = 'a broken list'
    })
    try {
      const made = await visit('/account/tokens', {}, { ...form, organization: ACME.id })
      expect(made.html).toMatch(/<textarea[^>]*>gkp_/)
      expect(made.html).toContain('Please try again in a moment.')
      expect(onError).toHaveBeenCalledOnce()
    } finally {
      onEvent.mockReset()
    }
  })

  it('is offered no family of resources for a personal access token', async () => {
    alice.teams = [ACME]
    const { html } = await (await browserOf(server.config, 'alice'))('/account/tokens')
    expect(html).toContain('>Files</bdi>')
    expect(html).not.toContain('{organization}')
  })

  it('chooses one for a personal access token', async () => {
    alice.teams = [ACME, BIRCH]
    const visit = await browserOf(server.config, 'alice')
    const { html } = await visit('/account/tokens')
    expect(html.match(/<input type="radio" name="organization"/g)).toHaveLength(2)
    const ticket = /name="ticket" value="([^"]+)"/.exec(html)?.[1] ?? ''
    const resource = server.config.baseUrl
    const form = { label: 'Nightly job', scope: 'notes:read', resource, days: '30', ticket }
    expect(await visit('/account/tokens', {}, form)).toMatchObject({ status: 400 })
    const made = await visit('/account/tokens', {}, { ...form, organization: ACME.id })
    const [, token = ''] = /<textarea[^>]*>([^<]+)</.exec(made.html) ?? []
    const seen = await oidc.tokenIntrospection(await openClient(), token)
    expect(seen).toMatchObject({ active: true, personal: true, org_id: ACME.id })
  })
})
