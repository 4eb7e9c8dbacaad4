import type { RateLimiter } from '@grantkit/core'
import { type KnownClientsOptions, knownClients } from '@grantkit/core/known-clients'
import { createMemoryStore } from '@grantkit/store-memory'
import { describe, expect, it } from 'vitest'
import {
  authorizationQuery,
  authorize,
  bodyOf,
  decide,
  redeem,
  redirectOf,
  refresh,
  register,
} from './client.ts'
import { ISSUER, openService, REDIRECT_URI, type Service } from './service.ts'

/** Clients with fixed addresses that register themselves, because the table of known clients has exactly these addresses. */

const CHATGPT = 'https://chatgpt.com/connector_platform_oauth_redirect'
const CLAUDE = 'https://claude.ai/api/mcp/auth_callback'
const CURSOR_APP = 'cursor://anysphere.cursor-mcp/oauth/callback'
const CURSOR_WEB = 'https://www.cursor.com/agents/mcp/oauth/callback'
const CURSOR = [CURSOR_APP, CURSOR_WEB, 'http://localhost:8787/callback']
const FOREIGN = 'https://evil.example/callback'

type Overrides = Parameters<typeof openService>[0]
const open = (options: KnownClientsOptions = {}, overrides: Overrides = {}) =>
  openService({ ...knownClients(options), ...overrides })

const registerWith = (
  service: Service,
  redirect_uris: readonly string[],
  more: object = {},
  remoteAddress?: string,
) => service.send('POST', '/api/oauth/register', { json: { redirect_uris, ...more }, remoteAddress })

async function asked(service: Service, redirect_uri: string, metadata: object = {}) {
  const { clientId } = await register(service, { redirect_uris: [redirect_uri], ...metadata })
  await authorize(service, authorizationQuery(clientId, { redirect_uri }))
  return { clientId, view: service.shown.consent }
}

const eventsOf = (service: Service, type: string) =>
  (service.events as { type: string }[]).filter((event) => event.type === type)

describe('the registration of a known client', () => {
  it('is refused without the option', async () => {
    const answer = await registerWith(openService(), [CHATGPT])
    expect([answer.status, bodyOf(answer).error]).toEqual([400, 'invalid_redirect_uri'])
  })

  it.each([
    ['all its addresses', CURSOR, CURSOR],
    ['all of them but a foreign one', [...CURSOR, FOREIGN], CURSOR],
  ])('is answered with exactly what was accepted: %s', async (_, sent, accepted) => {
    const service = open()
    const answer = bodyOf(await registerWith(service, sent))
    expect(answer.redirect_uris).toEqual(accepted)
    expect(await service.server.clients.find(String(answer.client_id))).toMatchObject({
      redirectUris: accepted,
      knownClient: 'cursor',
    })
  })

  it('is told to the operator with the entry, which loopback addresses alone have not', async () => {
    const service = open()
    await registerWith(service, CURSOR)
    await registerWith(service, [REDIRECT_URI])
    expect(eventsOf(service, 'client_registered')).toMatchObject([{ known: 'cursor' }, {}])
    expect(eventsOf(service, 'client_registered')[1]).not.toHaveProperty('known')
  })

  it('that the operator has not allowed names what would allow it', async () => {
    const service = open({ except: ['cursor'] })
    const answer = await registerWith(service, [CURSOR_WEB])
    expect(bodyOf(answer)).toEqual({
      error: 'invalid_redirect_uri',
      error_description: 'The operator can allow this client: KNOWN_CLIENTS=cursor',
    })
    expect(service.events).toMatchObject([{ type: 'refused', reason: 'known_client_off' }])
  })
})

describe('the number of registrations', () => {
  const many = async (service: Service, uri: string, count: number, remoteAddress: string) => {
    const answers = []
    for (let n = 0; n < count; n++)
      answers.push((await registerWith(service, [uri], {}, remoteAddress)).status)
    return answers.filter((status) => status === 201).length
  }

  it('is counted for a hosted client, and not for the few addresses of its vendor', async () => {
    const service = open()
    expect(await many(service, CHATGPT, 300, '203.0.113.1'), 'from one address').toBe(300)
    expect(await many(service, REDIRECT_URI, 101, '203.0.113.1'), 'of another kind').toBe(100)
  })

  it('is counted for the entry alone, and for the caller where a list has loopback addresses', async () => {
    const counted: string[] = []
    const rateLimiter: RateLimiter = {
      async take(limit, key) {
        counted.push(`${limit} ${key}`)
        return 0
      },
    }
    const service = open({}, { rateLimiter })
    for (const uris of [[CHATGPT], [CLAUDE], CURSOR]) await registerWith(service, uris, {}, '203.0.113.1')
    expect(counted).toEqual([
      'known_client_registration chatgpt',
      'known_client_registration claude',
      'registration 203.0.113.1',
    ])
  })

  it('has an end for each hosted client, after which each caller still has its own', async () => {
    const above = (...limits: string[]): RateLimiter => ({
      take: async (limit) => (limits.includes(limit) ? 60 : 0),
    })
    const statusAbove = async (...limits: string[]) =>
      (await registerWith(open({}, { rateLimiter: above(...limits) }), [CHATGPT])).status
    expect(await statusAbove('known_client_registration')).toBe(201)
    expect(await statusAbove('known_client_registration', 'registration')).toBe(429)
    expect(open().server.description.rateLimits.known_client_registration).toMatchObject({
      points: 1000,
      seconds: 600,
    })
  })

  it('of clients that no user approved stays within the store', async () => {
    const clock = { now: 1_800_000_000 }
    const store = createMemoryStore({ now: () => clock.now, maxUnapproved: 20_000 })
    const service = open({}, { store })
    await many(service, CHATGPT, 200, '203.0.113.1')
    let kept = 0
    for await (const _ of store.clients.scan()) kept += 1
    expect(kept).toBeLessThan(200)
  })
})

describe('the consent page of a known client', () => {
  it('has the verified name of the address, and the claimed one apart from it', async () => {
    const { view } = await asked(open(), CHATGPT, {
      client_name: 'Your Bank',
      logo_uri: 'https://bank.example/l',
    })
    expect(view?.identity).toEqual({
      host: 'chatgpt.com',
      loopback: false,
      known: { name: 'ChatGPT', host: 'chatgpt.com' },
    })
    expect(view?.client).toMatchObject({ clientName: 'Your Bank', knownClient: 'chatgpt' })
  })

  it.each([
    ['a private-use scheme', CURSOR_APP],
    ['a loopback address', REDIRECT_URI],
  ])('verifies nothing for %s, whatever the client calls itself', async (_, uri) => {
    const { view } = await asked(open(), uri, { client_name: 'Claude Code' })
    expect(view).toMatchObject({ redirectUri: uri, identity: undefined })
  })

  it.each([
    ['an https callback', CHATGPT, ['https://chatgpt.com']],
    ['a callback that goes on to an app', CLAUDE, ['https://claude.ai', 'claude:']],
    ['a private-use scheme', CURSOR_APP, ['cursor:']],
  ])('lets its form redirect to %s', async (_, uri, sources) => {
    expect((await asked(open(), uri)).view?.formActionSources).toEqual(sources)
  })

  it('is told to the operator when the user allows', async () => {
    const service = open()
    await asked(service, CHATGPT)
    await decide(service)
    expect(eventsOf(service, 'consent_granted')).toMatchObject([{ known: 'chatgpt' }])
  })
})

describe('an authorization at the address of a known client', () => {
  it('gets a code there, and tokens that refresh', async () => {
    const service = open()
    for (const redirect_uri of [CHATGPT, CURSOR_APP]) {
      const { clientId } = await asked(service, redirect_uri)
      const answer = await decide(service)
      expect(String(answer.headers.location).split('?')[0]).toBe(redirect_uri)
      const tokens = await redeem(service, { clientId }, redirectOf(answer).code ?? '', { redirect_uri })
      const { refresh_token } = bodyOf<{ refresh_token: string }>(tokens)
      expect((await refresh(service, { clientId }, refresh_token)).status).toBe(200)
    }
  })

  it('gives a code that lives 60 seconds, whatever the codes of others do', async () => {
    const service = open({}, { lifetimes: { code: 600 } })
    const { clientId } = await asked(service, CHATGPT)
    const { code = '' } = redirectOf(await decide(service))
    service.clock.now += 60
    const late = await redeem(service, { clientId }, code, { redirect_uri: CHATGPT })
    expect(bodyOf(late).error).toBe('invalid_grant')
  })

  it('needs PKCE with S256', async () => {
    const service = open()
    const { clientId } = await register(service, { redirect_uris: [CHATGPT] })
    for (const overrides of [{ code_challenge: undefined }, { code_challenge_method: 'plain' }]) {
      const query = authorizationQuery(clientId, { redirect_uri: CHATGPT, ...overrides })
      expect(redirectOf(await authorize(service, query)).error).toBe('invalid_request')
    }
  })

  it('asks the user each time, and is never silent', async () => {
    const service = open()
    const { clientId } = await asked(service, CHATGPT)
    await decide(service)
    const query = (prompt?: string) => authorizationQuery(clientId, { redirect_uri: CHATGPT, prompt })
    expect((await authorize(service, query())).body).toBe('consent')
    expect(redirectOf(await authorize(service, query('none'))).error).toBe('consent_required')
  })

  it.each([
    ['a success', {}, {}, 'code'],
    ['a denial', {}, { decision: 'deny' }, 'error'],
    ['a wrong request', { scope: 'nope' }, undefined, 'error'],
    ['a request that would need the user', { prompt: 'none' }, undefined, 'error'],
  ])('has the issuer of the metadata in the answer to %s', async (_, overrides, form, member) => {
    const service = open()
    const { clientId } = await register(service, { redirect_uris: [CHATGPT] })
    const headers = { cookie: 'user=alice', host: 'proxy.example', 'x-forwarded-host': 'other.example' }
    const query = authorizationQuery(clientId, { redirect_uri: CHATGPT, ...overrides })
    const answered = await authorize(service, query, headers)
    const answer = redirectOf(form ? await decide(service, form, headers) : answered)
    expect(service.server.metadata).toMatchObject({
      issuer: ISSUER,
      authorization_response_iss_parameter_supported: true,
    })
    expect(answer).toMatchObject({ iss: ISSUER, [member]: expect.any(String) })
  })
})

describe('a table that became shorter', () => {
  it('ends new authorizations at once, and names what would allow them', async () => {
    const before = open()
    const { clientId } = await register(before, { redirect_uris: [CHATGPT] })
    const after = open({ except: ['chatgpt'] }, { store: before.store })
    const answer = await authorize(after, authorizationQuery(clientId, { redirect_uri: CHATGPT }))
    expect([answer.status, answer.headers.location]).toEqual([400, undefined])
    expect(after.shown.error).toMatchObject({
      error: 'invalid_redirect_uri',
      reason: 'known_client_off',
      description: 'The operator can allow this client: KNOWN_CLIENTS=chatgpt',
      parameters: { known: 'chatgpt', name: 'ChatGPT' },
    })
  })

  it('leaves grants as they are', async () => {
    const before = open()
    const { clientId } = await asked(before, CHATGPT)
    const { code = '' } = redirectOf(await decide(before))
    const after = open({ except: ['chatgpt'] }, { store: before.store })
    const tokens = await redeem(after, { clientId }, code, { redirect_uri: CHATGPT })
    const { refresh_token } = bodyOf<{ refresh_token: string }>(tokens)
    expect((await refresh(after, { clientId }, refresh_token)).status).toBe(200)
  })

  it('leaves clients with loopback addresses as they are', async () => {
    const before = open()
    const { clientId } = await register(before)
    const after = open({ only: [] }, { store: before.store })
    const query = authorizationQuery(clientId, { redirect_uri: 'http://127.0.0.1:65000/callback' })
    expect((await authorize(after, query)).body).toBe('consent')
  })

  it('names the entry at an address that registration had dropped', async () => {
    const service = open({ except: ['cursor'] })
    const { clientId } = await register(service, { redirect_uris: CURSOR })
    await authorize(service, authorizationQuery(clientId, { redirect_uri: CURSOR_WEB }))
    expect(service.shown.error?.reason).toBe('known_client_off')
  })
})

describe('a static client of a known one', () => {
  const confidential = { tokenEndpointAuthMethod: 'client_secret_basic' }

  it('has the name and addresses of the entry, with further ones', async () => {
    const redirectUris = ['https://tenant.example/cb', CURSOR_WEB]
    const client = await open().server.clients.add({ known: 'cursor', redirectUris, ...confidential })
    expect(client).toMatchObject({
      clientName: 'Cursor',
      redirectUris: [CURSOR_APP, CURSOR_WEB, 'https://tenant.example/cb'],
      knownClient: 'cursor',
    })
  })

  it('may be of an entry that is off', async () => {
    const service = open({ only: [] })
    const { clientId } = await service.server.clients.add({ known: 'antigravity', ...confidential })
    const redirect_uri = 'https://antigravity.google/oauth-callback'
    expect((await authorize(service, authorizationQuery(clientId, { redirect_uri }))).body).toBe('consent')
  })

  it('of an unknown entry is refused, with the names of all', async () => {
    await expect(open().server.clients.add({ known: 'cursr' })).rejects.toThrow(
      /known: must be one of .*cursor/,
    )
    await expect(openService().server.clients.add({ known: 'cursor' })).rejects.toThrow(
      'known: must be one of none',
    )
  })

  it.each(['rememberConsent', 'pkceOptional'])('has no %s, by its address too', async (member) => {
    const { clients } = open().server
    const message = `${member}: not with a redirect URI of a known client`
    await expect(clients.add({ known: 'chatgpt', ...confidential, [member]: true })).rejects.toThrow(message)
    const own = { clientName: 'Own', redirectUris: [CHATGPT], ...confidential, [member]: true }
    await expect(clients.add(own)).rejects.toThrow(message)
  })

  it('that was there before the table has no exceptions either', async () => {
    const before = openService()
    const exceptions = { rememberConsent: true, pkceOptional: true }
    const own = { clientName: 'Own', redirectUris: [CHATGPT], ...confidential, ...exceptions }
    const { clientId } = await before.server.clients.add(own)
    const after = open({}, { store: before.store })
    const request = { redirect_uri: CHATGPT, code_challenge: undefined, code_challenge_method: undefined }
    const query = authorizationQuery(clientId, { ...request, nonce: 'n' })
    expect(redirectOf(await authorize(after, query)).error).toBe('invalid_request')
    await authorize(after, authorizationQuery(clientId, { redirect_uri: CHATGPT }))
    await decide(after)
    expect((await authorize(after, authorizationQuery(clientId, { redirect_uri: CHATGPT }))).body).toBe(
      'consent',
    )
  })
})

describe('a stranger', () => {
  it('who registers the callback of ChatGPT gets no code: it goes to ChatGPT, with a state that ChatGPT does not know', async () => {
    const service = open()
    const { clientId } = await register(service, { redirect_uris: [CHATGPT, 'https://evil.example/cb'] })
    const query = authorizationQuery(clientId, { redirect_uri: CHATGPT, state: 'of the stranger' })
    await authorize(service, query)
    const answer = await decide(service)
    expect(String(answer.headers.location)).toMatch(
      /^https:\/\/chatgpt\.com\/connector_platform_oauth_redirect\?code=/,
    )
    expect(redirectOf(answer).state).toBe('of the stranger')
  })

  it.each([
    ['an address of his own', FOREIGN],
    ['the address with a query of his', `${CHATGPT}?next=https://evil.example`],
    ['another address of the vendor', 'https://chatgpt.com/connector/oauth/x'],
  ])('cannot have the code sent to %s', async (_, redirect_uri) => {
    const service = open()
    const { clientId } = await register(service, { redirect_uris: [CHATGPT, redirect_uri] })
    const answer = await authorize(service, authorizationQuery(clientId, { redirect_uri }))
    expect([answer.status, answer.headers.location]).toEqual([400, undefined])
  })
})
