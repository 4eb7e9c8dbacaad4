import { describe, expect, it } from 'vitest'
import { authorize, bodyOf, decide, redeem, redirectOf, register } from './client.ts'
import { ISSUER, openService, SCOPES } from './service.ts'
import { CLASSES, openStepUp, type StepUpService } from './step-up-service.ts'

/** What clients ask of a sign-in: `acr_values` (OpenID Connect Core 3.1.2.1, RFC 9470 5). */

/** The browser after the page for signing in: the request goes on with another session. */
function comeBack({ service }: StepUpService, browser: string) {
  const [, query = ''] = (service.shown.signIn ?? '').split('?')
  return authorize(service, query, { cookie: browser })
}

async function opened(settings: Parameters<typeof openStepUp>[0] = {}) {
  const open = await openStepUp(settings)
  const weak = open.signedIn('pwd')
  open.service.clock.now += 60
  return { ...open, open, weak }
}

const UNMET = expect.objectContaining({ error: 'unmet_authentication_requirements', iss: ISSUER })

describe('a request with acr_values', () => {
  it.each([
    ['that class', 'mfa', 'mfa'],
    ['a stronger one', 'mfa', 'phr'],
    ['any of several', 'phr mfa', 'mfa'],
    ['one of several, of which some are unknown', 'urn:other mfa', 'mfa'],
  ])('is met by a session of %s', async (_, acr_values, acr) => {
    const { ask, signedIn } = await opened()
    expect((await ask(signedIn(acr), { acr_values })).body).toBe('consent')
  })

  it.each([
    ['a weaker class', 'pwd'],
    ['no class', undefined],
  ])(
    'sends a user with a session of %s to sign in again, and names the classes in the order asked',
    async (_, acr) => {
      const { ask, service, signedIn } = await opened()
      const answer = await ask(signedIn(acr), { acr_values: 'phr nonsense mfa phr' })
      expect([answer.status, answer.headers.location]).toEqual([303, '/login'])
      expect(service.shown.signInHint).toMatchObject({ acrValues: ['phr', 'mfa'] })
    },
  )

  it('names the classes to a user who is not signed in', async () => {
    const { ask, service } = await opened()
    await ask('', { acr_values: 'mfa' })
    expect(service.shown.signInHint).toMatchObject({ acrValues: ['mfa'] })
  })

  it('goes on after a stronger sign-in', async () => {
    const { ask, weak, open, signedIn } = await opened()
    await ask(weak, { acr_values: 'mfa' })
    expect((await comeBack(open, signedIn('mfa'))).body).toBe('consent')
  })

  it('is an error for the client after a sign-in that is too weak again, and does not ask a third time', async () => {
    const { ask, weak, open, signedIn, service } = await opened()
    await ask(weak, { acr_values: 'mfa' })
    expect(redirectOf(await comeBack(open, signedIn('pwd')))).toEqual(UNMET)
    expect(service.events.at(-1)).toMatchObject({ reason: 'acr_values_unmet' })
  })

  it('asks once more if the user comes back with the session of before', async () => {
    const { ask, weak, open } = await opened()
    await ask(weak, { acr_values: 'mfa' })
    expect((await comeBack(open, weak)).headers.location).toBe('/login')
  })

  it('is an error if the server has none of the classes, before the user signs in', async () => {
    const { ask, signedIn, service } = await opened()
    for (const browser of [signedIn('phr'), ''])
      expect(redirectOf(await ask(browser, { acr_values: 'urn:other PHR' }))).toEqual(UNMET)
    expect(service.shown.signIn).toBeUndefined()
    expect(service.events).toContainEqual(expect.objectContaining({ reason: 'acr_values_unknown' }))
  })

  it('with prompt=none is login_required where a page could help, and unmet where none can', async () => {
    const { ask, weak } = await opened()
    const silent = { prompt: 'none' }
    expect(redirectOf(await ask(weak, { ...silent, acr_values: 'mfa' })).error).toBe('login_required')
    expect(redirectOf(await ask(weak, { ...silent, acr_values: 'x' }))).toEqual(UNMET)
  })

  it('is refused if the parameter is repeated, and asks for nothing if it is empty or of spaces', async () => {
    const { ask, weak, query, service } = await opened()
    const repeated = `${query({ acr_values: 'pwd' })}&acr_values=mfa`
    expect(redirectOf(await authorize(service, repeated, { cookie: weak })).error).toBe('invalid_request')
    for (const acr_values of ['', '  ']) expect((await ask(weak, { acr_values })).body).toBe('consent')
  })

  it('is judged by the sign-in of now, also where consent is remembered', async () => {
    const { open, service, weak, signedIn } = await opened()
    const kept = await service.server.clients.add({
      clientName: 'Bank',
      redirectUris: ['http://127.0.0.1:7001/callback'],
      rememberConsent: true,
    })
    const client = { ...kept, clientId: kept.clientId }
    const query = (acr_values: string) =>
      String(
        new URLSearchParams({
          ...{ response_type: 'code', client_id: client.clientId, scope: 'courses:read', acr_values },
          redirect_uri: 'http://127.0.0.1:7001/callback',
          code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
          code_challenge_method: 'S256',
        }),
      )
    await authorize(service, query('pwd'), { cookie: weak })
    await redeem(service, client, redirectOf(await decide(service, {}, { cookie: weak })).code ?? '')
    expect(redirectOf(await authorize(service, query('pwd'), { cookie: weak })).code).toBeDefined()
    expect((await authorize(service, query('mfa'), { cookie: weak })).headers.location).toBe('/login')
    expect(redirectOf(await comeBack(open, signedIn('mfa'))).code).toBeDefined()
  })
})

describe('with required: false, a request with acr_values', () => {
  it('gets a code with the true class after a sign-in that is too weak again', async () => {
    const { ask, weak, open, signedIn, allow, introspect } = await opened({ required: false })
    expect((await ask(weak, { acr_values: 'mfa' })).headers.location, 'the user is asked once').toBe('/login')
    const again = signedIn('pwd')
    expect((await comeBack(open, again)).body).toBe('consent')
    expect(await introspect((await allow(again)).access_token)).toMatchObject({ acr: 'pwd' })
  })

  it('gets a code at once for unknown classes, and with prompt=none', async () => {
    const { ask, weak, tokens } = await opened({ required: false })
    expect((await ask(weak, { acr_values: 'urn:other' })).body).toBe('consent')
    await tokens(weak)
    expect(redirectOf(await ask(weak, { acr_values: 'mfa', prompt: 'none' })).error).toBe('consent_required')
  })
})

describe('a session of a class that the server does not have', () => {
  it('is an error for the operator, and never a code', async () => {
    const { ask, signedIn, service } = await opened()
    expect(redirectOf(await ask(signedIn('gold')))).toMatchObject({ error: 'server_error' })
    expect(service.events).toContainEqual(
      expect.objectContaining({
        type: 'failed',
        cause: expect.objectContaining({ message: expect.stringContaining('"gold"') }),
      }),
    )
  })
})

describe('without the feature', () => {
  it('acr_values is ignored, whatever it holds, and nothing of acr and amr is told', async () => {
    const service = openService()
    const client = await register(service)
    const query = `${new URLSearchParams({
      ...{ response_type: 'code', client_id: client.clientId, scope: 'openid courses:read' },
      redirect_uri: 'http://127.0.0.1:7001/callback',
      code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      code_challenge_method: 'S256',
    })}&acr_values=mfa&acr_values=${'x'.repeat(5000)}`
    const browser = { cookie: 'user=alice@1799999000/phr/hwk' }
    expect((await authorize(service, query, browser)).body).toBe('consent')
    const tokens = bodyOf<{ id_token: string }>(
      await redeem(service, client, redirectOf(await decide(service, {}, browser)).code ?? ''),
    )
    const claims = JSON.parse(String(Buffer.from(tokens.id_token.split('.')[1] ?? '', 'base64url')))
    expect(claims).not.toHaveProperty('acr')
    expect(claims).not.toHaveProperty('amr')
    expect(service.server.metadata).not.toHaveProperty('acr_values_supported')
    expect(JSON.stringify(await service.store.grants.list({ subject: 'alice' }, { limit: 9 }))).not.toMatch(
      /"a[cm]r"/,
    )
  })
})

describe('stepUp', () => {
  it('publishes its classes', async () => {
    const { service } = await openStepUp()
    expect(service.server.metadata).toMatchObject({ acr_values_supported: CLASSES })
  })

  it.each([
    ['no class', []],
    ['one twice', ['a', 'a']],
    ['a space', ['a b']],
    ['a quote', ['a"b']],
    ['a backslash', ['a\\b']],
    ['a line', ['a\nb']],
  ])('refuses %s', (_, classes) => {
    expect(() => openService({ stepUp: { classes } })).toThrow('stepUp: classes')
  })

  it('refuses a scope that opens acr or amr', () => {
    for (const claim of ['acr', 'amr']) {
      const scopes = { ...SCOPES, profile: { description: 'x', claims: [claim] } }
      expect(() => openService({ stepUp: { classes: CLASSES }, scopes })).toThrow(
        `scope "profile" cannot open ${claim}`,
      )
    }
  })
})
