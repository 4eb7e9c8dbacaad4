import { describe, expect, it } from 'vitest'
import { allowedScopes } from '../src/authorization/consent.ts'
import type { Kernel } from '../src/kernel/kernel.ts'
import type { ScopeCatalogue } from '../src/kernel/scope.ts'
import {
  ALICE,
  authorizationQuery,
  authorize,
  bodyOf,
  decide,
  redeem,
  redirectOf,
  refresh,
  register,
  type TokenAnswer,
  tokensFor,
} from './client.ts'
import { ISSUER, openService, REDIRECT_URI, type Service } from './service.ts'

async function atConsent(overrides: Record<string, string | undefined> = {}, metadata: object = {}) {
  const service = openService()
  const client = await register(service, metadata)
  await authorize(service, authorizationQuery(client.clientId, overrides))
  return { service, client }
}

function formOf(service: Service, extra: Record<string, string> = {}) {
  const view = service.shown.consent
  if (view === undefined) throw new Error('No consent page was shown')
  const query = view.action.split('?')[1] ?? ''
  return { query, form: { ticket: view.ticket, decision: 'allow', scope: 'openid', ...extra } }
}

describe('the consent page', () => {
  it('gets everything that the user must see', async () => {
    const { service } = await atConsent({
      scope: 'courses:read openid',
      redirect_uri: 'http://127.0.0.1:9999/callback',
    })
    expect(service.shown.consent).toMatchObject({
      client: { clientName: 'Test client', origin: 'registered' },
      session: { subject: 'alice' },
      redirectUri: 'http://127.0.0.1:9999/callback',
      scopes: [
        { name: 'openid', description: 'Sign you in', required: true },
        { name: 'courses:read', area: 'Courses', access: 'read', required: false },
      ],
      formActionSources: ['http://127.0.0.1:9999'],
    })
    const { action, returnTo } = service.shown.consent ?? {}
    expect(returnTo, 'where a user goes to sign in as another user').toBe(
      action?.replace('/oauth/consent?', '/oauth/authorize?'),
    )
    expect(returnTo).toMatch(/^\/oauth\/authorize\?response_type=code&/)
  })
})

describe('consent', () => {
  it('REQ-19, REQ-20, REQ-21: an approval redirects by a 303 without a body, with code, state and iss', async () => {
    const { service } = await atConsent()
    const response = await decide(service)
    expect([response.status, response.body]).toEqual([303, ''])
    expect(redirectOf(response)).toEqual({
      code: expect.stringMatching(/^gkc_/),
      state: 'a state',
      iss: ISSUER,
    })
    expect(response.headers).toMatchObject({ 'cache-control': 'no-store' })
  })

  it('logs which user allowed which client which scopes, in which grant', async () => {
    const { service, client } = await atConsent()
    const { code = '' } = redirectOf(await decide(service))
    expect(service.events.filter(({ type }) => type === 'consent_granted')).toEqual([
      {
        ...{ type: 'consent_granted', grantId: code.slice('gkc_'.length).split('.')[0], subject: 'alice' },
        ...{ clientId: client.clientId, scopes: ['openid', 'profile', 'courses:read'], resources: [] },
      },
    ])
  })

  it('RF-12: a client that repeats its first scope at a refresh gets only the scopes that the user allowed', async () => {
    const { service, client } = await atConsent()
    const response = await decide(service, { scope: 'courses:read' })
    let token = bodyOf<TokenAnswer>(
      await redeem(service, client, redirectOf(response).code ?? ''),
    ).refresh_token
    for (const scope of [
      'openid profile courses:read',
      'profile courses:read openid',
      'profile courses:read',
    ]) {
      const answer = bodyOf<TokenAnswer>(await refresh(service, client, token, { scope }))
      expect(answer.scope.split(' ')).not.toContain('profile')
      expect(answer.scope.split(' ')).toContain('courses:read')
      expect((await service.callApi(answer.access_token, 'courses:read')).kind).toBe('authorized')
      token = answer.refresh_token
    }
    const again = await refresh(service, client, token, { scope: 'openid profile courses:read' })
    const retried = await refresh(service, client, token, { scope: 'openid profile courses:read' })
    expect(retried.body, 'a retry is answered alike').toBe(again.body)
    token = bodyOf<TokenAnswer>(again).refresh_token
    for (const scope of ['profile', 'openid courses:read courses:write', 'openid profile email']) {
      const refused = await refresh(service, client, token, { scope })
      expect([refused.status, bodyOf(refused).error], scope).toEqual([400, 'invalid_scope'])
    }
    expect((await refresh(service, client, token)).status, 'and the token is not consumed').toBe(200)
  })

  it('stores no requested scopes with the grant if consent was not narrowed', async () => {
    const grants = async (form: Record<string, string>) => {
      const { service } = await atConsent()
      await decide(service, form)
      return (await service.store.grants.list({ subject: 'alice' }, { limit: 200 })).grants
    }
    const members =
      'id subject clientId scopes resources redirectUri authTime createdAt usedAt expiresAt ticketEndsAt code accessTokens'
    const [whole] = await grants({})
    const stored = JSON.parse(JSON.stringify(whole))
    expect(Object.keys(stored).join(' ')).toBe(members)
    const [narrowed] = await grants({ scope: 'profile' })
    expect(narrowed).toMatchObject({ scopes: ['openid', 'profile'], withheldScopes: ['courses:read'] })
  })

  it.each([
    [
      'what is ticked, of what was requested',
      'allow',
      'openid profile courses:read',
      ['courses:read', 'students:read'],
    ],
    [
      'reading, of what is ticked',
      'allow_reading',
      'openid courses:read courses:write students:read',
      ['courses:read', 'courses:write'],
    ],
  ])('grants only openid and %s', async (_, decision, scope, ticked) => {
    const { service, client } = await atConsent({ scope })
    const { ticket = '' } = service.shown.consent ?? {}
    const scopes = ticked.map((name): [string, string] => ['scope', name])
    const response = await decide(service, [['ticket', ticket], ['decision', decision], ...scopes])
    const tokens = bodyOf(await redeem(service, client, redirectOf(response).code ?? ''))
    expect(tokens.scope).toBe('openid courses:read')
  })

  it('takes a scope without `access` for one that may change something', () => {
    const description = 'Do it'
    const scopes: ScopeCatalogue = {
      openid: { description },
      'notes:read': { description, access: 'read' },
      'notes:use': { description },
    }
    const requested = Object.keys(scopes)
    const form = { decision: 'allow_reading', scope: requested } as const
    expect(allowedScopes({ scopes } as Kernel, form, requested)).toEqual(['openid', 'notes:read'])
  })

  it.each(['allow', 'allow_reading'])('shows the form again for %s with nothing ticked', async (decision) => {
    const { service } = await atConsent({ scope: 'courses:read' })
    expect(service.shown.consent).not.toHaveProperty('allowsNothing')
    expect(await decide(service, { scope: '', decision })).toMatchObject({ status: 200, body: 'consent' })
    expect(service.shown.consent).toMatchObject({ allowsNothing: true, formExpired: false })
    expect(service.events.at(-1)).toMatchObject({ type: 'refused', reason: 'user_decision_missing' })
    expect(redirectOf(await decide(service, { scope: 'courses:read' }))).toHaveProperty('code')
  })

  it('answers a denial with access_denied, whatever is ticked', async () => {
    const { service } = await atConsent({ scope: 'courses:read' })
    const form = { decision: 'deny', scope: 'courses:read' }
    expect(redirectOf(await decide(service, form))).toEqual({
      error: 'access_denied',
      error_description: expect.any(String),
      state: 'a state',
      iss: ISSUER,
    })
  })

  const own = (ticket: string) => ticket
  it.each<[string, (ticket: string) => string, { cookie?: string }, number, string?]>([
    ['a forged ticket', () => '9999999999.nonce.mac', ALICE, 0],
    ['a ticket that ends later', (ticket) => ticket.replace(/^\d+/, '9999999999'), ALICE, 0],
    ['another session', own, { cookie: 'user=bob' }, 0],
    ['no session', own, {}, 0],
    ['a form that is too old', own, ALICE, 600],
    ['more scopes in the request than were shown', own, ALICE, 0, '+courses%3Awrite'],
  ])(
    'UI-01: without its own ticket a consent form begins again, and grants nothing: %s',
    async (_, changed, headers, later, more = '') => {
      const { service } = await atConsent()
      const sent = formOf(service)
      sent.form.ticket = changed(sent.form.ticket)
      sent.query = sent.query.replace('courses%3Aread', `courses%3Aread${more}`)
      service.clock.now += later
      const { status, headers: answered } = await service.send('POST', '/oauth/consent', { ...sent, headers })
      expect([status, answered.location]).toEqual([
        303,
        `/oauth/authorize?${sent.query}&consent_form=expired`,
      ])
      expect((await service.store.grants.list({ subject: 'alice' }, { limit: 200 })).grants).toEqual([])
      expect(service.events).toContainEqual(
        expect.objectContaining({ type: 'refused', reason: 'consent_ticket_invalid' }),
      )
    },
  )

  it('UI-01: a consent form without any ticket is a page', async () => {
    const { service } = await atConsent()
    const sent = formOf(service, { ticket: '' })
    const response = await service.send('POST', '/oauth/consent', { ...sent, headers: ALICE })
    expect([response.status, response.headers.location]).toEqual([400, undefined])
  })

  it('shows an expired form again with a note, and then accepts it', async () => {
    const { service } = await atConsent()
    expect(service.shown.consent?.formExpired).toBe(false)
    const { action } = service.shown.consent ?? {}
    service.clock.now += 600
    const [, query] = String((await decide(service)).headers.location).split('?')
    expect((await authorize(service, query ?? '')).body).toBe('consent')
    expect(service.shown.consent).toMatchObject({ formExpired: true, action })
    expect(redirectOf(await decide(service))).toHaveProperty('code')
  })

  it('accepts only POST', async () => {
    const { service } = await atConsent()
    expect((await service.send('GET', '/oauth/consent', formOf(service))).status).toBe(405)
  })

  it('issues no second code after the first has expired', async () => {
    const { service } = await atConsent()
    await decide(service)
    service.clock.now += 120
    expect(redirectOf(await decide(service, {}, ALICE))).not.toHaveProperty('code')
  })
})

describe('consent', () => {
  it('is always required for a public client, even if it was granted before', async () => {
    const service = openService()
    const client = await register(service)
    await tokensFor(service, client)
    expect((await authorize(service, authorizationQuery(client.clientId))).body).toBe('consent')
  })

  it.each([
    [
      'a public integration, whatever is configured',
      { rememberConsent: true, tokenEndpointAuthMethod: 'none' },
    ],
    ['an integration that does not remember it', {}],
  ])('D4, REQ-24: is always required for %s', async (_, metadata) => {
    const service = openService()
    const kiosk = { clientName: 'Kiosk', redirectUris: [REDIRECT_URI] }
    const client = await service.server.clients.add({ ...kiosk, ...metadata })
    await tokensFor(service, client)
    expect((await authorize(service, authorizationQuery(client.clientId))).body).toBe('consent')
  })

  it('D4, REQ-24: is not required again for an integration that remembers consent', async () => {
    const service = openService()
    const client = await service.server.clients.add({
      clientName: 'Calendar',
      redirectUris: [REDIRECT_URI],
      rememberConsent: true,
    })
    const query = authorizationQuery(client.clientId)
    expect((await authorize(service, query)).body, 'the first time').toBe('consent')
    await decide(service)
    expect(redirectOf(await authorize(service, `${query}&prompt=none`))).toHaveProperty('code')
    expect((await authorize(service, `${query}&prompt=consent`)).body, 'when the client wants it').toBe(
      'consent',
    )
    const wider = authorizationQuery(client.clientId, { scope: 'openid students:read' })
    expect((await authorize(service, wider)).body, 'for more than before').toBe('consent')
    expect((await authorize(service, query, { cookie: 'user=bob' })).body, 'another user').toBe('consent')
  })
})

describe('remembered consent', () => {
  const [BASE, MCP] = [ISSUER, `${ISSUER}/mcp`]
  it.each([
    [[MCP], [MCP], 'nothing'],
    [[MCP], [BASE], 'consent'],
    [[MCP], [BASE, MCP], 'consent'],
    [[MCP], [], 'consent'],
    [[BASE, MCP], [MCP], 'nothing'],
    [[], [MCP], 'nothing'],
    [[], [], 'nothing'],
  ])('allowed at %j, a request for %j shows %s', async (allowed, requested, page) => {
    const service = openService()
    const metadata = { clientName: 'Calendar', redirectUris: [REDIRECT_URI], rememberConsent: true }
    const { clientId: client_id } = await service.server.clients.add(metadata)
    const query = (resources: string[]) =>
      `${authorizationQuery(client_id)}${resources.map((resource) => `&resource=${resource}`).join('')}`
    await authorize(service, query(allowed))
    await decide(service)
    expect((await authorize(service, query(requested))).body || 'nothing').toBe(page)
  })
})

describe('an approved client', () => {
  it('lives as long as its grants', async () => {
    const { service, client } = await atConsent()
    await decide(service)
    service.clock.now += 179 * 24 * 3600
    expect(await service.store.clients.find(client.clientId)).toBeDefined()
    service.clock.now += 2 * 24 * 3600
    expect(await service.store.clients.find(client.clientId)).toBeUndefined()
  })
})
