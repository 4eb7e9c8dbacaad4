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
import {
  CHATGPT,
  CLAUDE,
  CURSOR,
  CURSOR_APP,
  CURSOR_WEB,
  eventsOf,
  FOREIGN,
  openKnown,
  requestConsent,
} from './known-client-service.ts'
import { openService, REDIRECT_URI } from './service.ts'

describe('the consent page of a known client', () => {
  it('has the verified name of the address, and the claimed one apart from it', async () => {
    const { view } = await requestConsent(openKnown(), CHATGPT, {
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
    const { view } = await requestConsent(openKnown(), uri, { client_name: 'Claude Code' })
    expect(view).toMatchObject({ redirectUri: uri, identity: undefined })
  })

  it.each([
    ['an https callback', CHATGPT, ['https://chatgpt.com']],
    ['a callback that goes on to an app', CLAUDE, ['https://claude.ai', 'claude:']],
    ['a private-use scheme', CURSOR_APP, ['cursor:']],
  ])('lets its form redirect to %s', async (_, uri, sources) => {
    expect((await requestConsent(openKnown(), uri)).view?.formActionSources).toEqual(sources)
  })

  it('is logged when the user allows', async () => {
    const service = openKnown()
    await requestConsent(service, CHATGPT)
    await decide(service)
    expect(eventsOf(service, 'consent_granted')).toMatchObject([{ known: 'chatgpt' }])
  })
})

describe('an authorization at the address of a known client', () => {
  it('gets a code there, and tokens that refresh', async () => {
    const service = openKnown()
    for (const redirect_uri of [CHATGPT, CURSOR_APP]) {
      const { clientId } = await requestConsent(service, redirect_uri)
      const answer = await decide(service)
      expect(String(answer.headers.location).split('?')[0]).toBe(redirect_uri)
      const tokens = await redeem(service, { clientId }, redirectOf(answer).code ?? '', { redirect_uri })
      const { refresh_token } = bodyOf<{ refresh_token: string }>(tokens)
      expect((await refresh(service, { clientId }, refresh_token)).status).toBe(200)
    }
  })

  it('issues a code that expires after 60 seconds, whatever the lifetime of other codes', async () => {
    const service = openKnown({}, { lifetimes: { code: 600 } })
    const { clientId } = await requestConsent(service, CHATGPT)
    const { code = '' } = redirectOf(await decide(service))
    service.clock.now += 60
    const late = await redeem(service, { clientId }, code, { redirect_uri: CHATGPT })
    expect(bodyOf(late).error).toBe('invalid_grant')
  })

  it('leaves other codes of the server the lifetime that it has configured', async () => {
    const service = openKnown({}, { lifetimes: { code: 600 } })
    const { clientId } = await requestConsent(service, REDIRECT_URI)
    const { code = '' } = redirectOf(await decide(service))
    service.clock.now += 599
    expect((await redeem(service, { clientId }, code)).status).toBe(200)
  })

  it('is open to a client that registered there before the table had the address, as a known one', async () => {
    const before = openService({ redirectUriPolicy: (accepted) => ({ accepted }) })
    const { clientId } = await register(before, { redirect_uris: [CHATGPT] })
    const service = openKnown({}, { store: before.store })
    await authorize(service, authorizationQuery(clientId, { redirect_uri: CHATGPT }))
    expect(service.shown.consent?.identity?.known).toEqual({ name: 'ChatGPT', host: 'chatgpt.com' })
  })

  it('requests consent each time, and never skips the page', async () => {
    const service = openKnown()
    const { clientId } = await requestConsent(service, CHATGPT)
    await decide(service)
    const query = (prompt?: string) => authorizationQuery(clientId, { redirect_uri: CHATGPT, prompt })
    expect((await authorize(service, query())).body).toBe('consent')
    expect(redirectOf(await authorize(service, query('none'))).error).toBe('consent_required')
  })
})

describe('an attacker', () => {
  it('who registers the callback of ChatGPT gets no code: it goes to ChatGPT, with a state that ChatGPT does not know', async () => {
    const service = openKnown()
    const { clientId } = await register(service, { redirect_uris: [CHATGPT, 'https://evil.example/cb'] })
    const query = authorizationQuery(clientId, { redirect_uri: CHATGPT, state: 'of the attacker' })
    await authorize(service, query)
    const answer = await decide(service)
    expect(String(answer.headers.location)).toMatch(
      /^https:\/\/chatgpt\.com\/connector_platform_oauth_redirect\?code=/,
    )
    expect(redirectOf(answer).state).toBe('of the attacker')
  })

  it.each([
    ['an address of his own', FOREIGN],
    ['the address with a query of his', `${CHATGPT}?next=https://evil.example`],
    ['another address of the vendor', 'https://chatgpt.com/connector/oauth/x'],
  ])('cannot have the code sent to %s', async (_, redirect_uri) => {
    const service = openKnown()
    const { clientId } = await register(service, { redirect_uris: [CHATGPT, redirect_uri] })
    const answer = await authorize(service, authorizationQuery(clientId, { redirect_uri }))
    expect([answer.status, answer.headers.location]).toEqual([400, undefined])
  })
})

describe('a table that became shorter', () => {
  it('ends new authorizations at once, and names the setting in the error', async () => {
    const before = openKnown()
    const { clientId } = await register(before, { redirect_uris: [CHATGPT] })
    const after = openKnown({ except: ['chatgpt'] }, { store: before.store })
    const answer = await authorize(after, authorizationQuery(clientId, { redirect_uri: CHATGPT }))
    expect([answer.status, answer.headers.location]).toEqual([400, undefined])
    expect(after.shown.error).toMatchObject({
      error: 'invalid_redirect_uri',
      reason: 'known_client_off',
      description:
        "This server has not enabled this client. Ask its operator to enable it: knownClients({ only: [..., 'chatgpt'] })",
      parameters: { known: 'chatgpt', name: 'ChatGPT' },
    })
  })

  it('leaves grants as they are', async () => {
    const before = openKnown()
    const { clientId } = await requestConsent(before, CHATGPT)
    const { code = '' } = redirectOf(await decide(before))
    const after = openKnown({ except: ['chatgpt'] }, { store: before.store })
    const tokens = await redeem(after, { clientId }, code, { redirect_uri: CHATGPT })
    const { refresh_token } = bodyOf<{ refresh_token: string }>(tokens)
    expect((await refresh(after, { clientId }, refresh_token)).status).toBe(200)
  })

  it('leaves clients with loopback addresses as they are', async () => {
    const before = openKnown()
    const { clientId } = await register(before)
    const after = openKnown({ only: [] }, { store: before.store })
    const query = authorizationQuery(clientId, { redirect_uri: 'http://127.0.0.1:65000/callback' })
    expect((await authorize(after, query)).body).toBe('consent')
  })

  it('names the entry at an address that registration had dropped', async () => {
    const service = openKnown({ except: ['cursor'] })
    const { clientId } = await register(service, { redirect_uris: CURSOR })
    await authorize(service, authorizationQuery(clientId, { redirect_uri: CURSOR_WEB }))
    expect(service.shown.error?.reason).toBe('known_client_off')
  })
})
