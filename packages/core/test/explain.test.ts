import { OAuthError } from '@grantkit/core'
import { ERRORS } from '@grantkit/core/errors'
import { jwtAccessTokens } from '@grantkit/core/jwt-access-tokens'
import { pushedAuthorizationRequests } from '@grantkit/core/par'
import { ACCESS_TOKEN_TYPE, TOKEN_EXCHANGE, tokenExchange } from '@grantkit/core/token-exchange'
import { parseReference, type StepEvent, signInAttempts } from '@grantkit/explain'
import { describe, expect, it } from 'vitest'
import {
  arrive,
  authorizationQuery,
  authorize,
  bodyOf,
  codeFor,
  credentials,
  decide,
  redeem,
  redirectOf,
  refresh,
  register,
  requestToken,
  type TokenAnswer,
  tokensFor,
} from './client.ts'
import { openDeviceService } from './device-service.ts'
import { fault, ID, openWithDocuments } from './document-host.ts'
import { CHALLENGE, ISSUER, openService, REDIRECT_URI, type Service, VERIFIER } from './service.ts'

const explained = () => openService({ observer: signInAttempts, unknownScopes: 'refuse' })

function stepsOf({ events }: Service): StepEvent[] {
  return events.filter((event) => event.type === 'step')
}

/** The steps, each as its name, or `name: reason`. */
function stepNames(service: Service): string[] {
  return stepsOf(service).map(({ step, outcome, reason }) =>
    outcome === 'ok' && step !== 'ended' ? step : `${step}: ${reason}`,
  )
}

/** The references of all steps, each once. */
function references(service: Service): string[] {
  return [...new Set(stepsOf(service).map(({ reference }) => reference))]
}

const REF = / \(ref ([0-9A-Z]{4}-[0-9A-Z]{4})\)$/

/** The reference at the end of an `error_description`. */
function referenceIn(description: unknown): string {
  return REF.exec(String(description))?.[1] ?? `none in ${description}`
}

describe('the steps of a sign-in attempt', () => {
  it('have one reference from the authorization request to the end of the grant', async () => {
    const service = explained()
    const client = await register(service)
    service.events.length = 0
    const query = authorizationQuery(client.clientId)
    await authorize(service, query, {})
    await authorize(service, query)
    const code = redirectOf(await decide(service)).code ?? ''
    const { access_token, refresh_token } = bodyOf<TokenAnswer>(await redeem(service, client, code))
    for (const _ of ['the first call', 'another call']) await service.callApi(access_token, 'courses:read')
    await service.callApi(access_token, 'students:read')
    await refresh(service, client, refresh_token)
    await redeem(service, client, code)
    expect(stepNames(service)).toEqual([
      ...['requested', 'client_found', 'sign_in_shown'],
      ...['requested', 'client_found', 'signed_in', 'consent_shown'],
      ...['client_found', 'allowed', 'sent_back', 'code_redeemed', 'first_call'],
      'first_call: bearer_scope_missing',
      'refreshed',
      ...['ended: code_replayed', 'code_redeemed: code_replayed'],
    ])
    expect(references(service)).toHaveLength(1)
  })

  it('say who ended the grant', async () => {
    const service = explained()
    const client = await register(service)
    const { refresh_token } = await tokensFor(service, client)
    await service.send('POST', '/api/oauth/revoke', {
      form: { ...credentials(client), token: refresh_token },
    })
    await tokensFor(service, client)
    await service.server.grants.revokeAll('alice', { by: 'user' })
    await tokensFor(service, client)
    await service.server.grants.revokeAll('alice')
    const ends = stepsOf(service).filter(({ step }) => step === 'ended')
    expect(ends.map(({ by }) => by)).toEqual(['client', 'user', 'operator'])
  })

  it('have the facts of the request', async () => {
    const service = explained()
    const client = await register(service)
    const common = {
      type: 'step',
      at: service.clock.now,
      clientId: client.clientId,
      clientKind: 'registered',
    }
    const [registered] = stepsOf(service)
    const reference = expect.stringMatching(/^[0-9A-HJKMNP-TV-Z]{8}$/)
    expect(registered).toEqual({
      ...{ ...common, reference, step: 'registered', outcome: 'ok' },
      redirectUri: REDIRECT_URI,
    })
    const query = authorizationQuery(client.clientId, { redirect_uri: `${REDIRECT_URI}/?tenant=1#top` })
    await service.send('GET', '/oauth/authorize', { query, remoteAddress: '203.0.113.7' })
    expect(stepsOf(service).at(-1)).toEqual({
      ...{ ...common, reference, step: 'request_refused', outcome: 'refused' },
      ...{ reason: 'redirect_uri_not_registered', status: 400, endpoint: '/oauth/authorize' },
      redirectUri: `${REDIRECT_URI}/`,
      expected: REDIRECT_URI,
      scopes: ['openid', 'profile', 'courses:read'],
      network: '203.0.113.0/24',
    })
  })

  it('name the client that sent the refresh token of another client, and its owner', async () => {
    const service = explained()
    const [owner, other] = [await register(service), await register(service)]
    const { refresh_token } = await tokensFor(service, owner)
    await refresh(service, other, refresh_token)
    expect(stepsOf(service).at(-1)).toMatchObject({
      reason: 'refresh_token_of_other_client',
      clientId: other.clientId,
      expected: owner.clientId,
    })
    expect(service.events.at(-1)).toMatchObject({ type: 'refused', clientId: other.clientId })
  })

  it('are found from the event of an error, by its reference, client and user', async () => {
    const service = explained()
    const { clientId } = await register(service)
    const query = authorizationQuery(clientId, { redirect_uri: 'https://other.example' })
    const { headers } = await service.send('GET', '/oauth/authorize', { query })
    const reference = headers['grantkit-reference']
    expect(service.events.at(-1)).toMatchObject({ type: 'refused', reference, clientId })
    await authorize(service, authorizationQuery(clientId))
    await decide(service, { decision: 'deny' })
    const denied = service.events.findLast(({ type }) => type === 'refused')
    expect(denied).toMatchObject({ reason: 'consent_denied', clientId, subject: 'alice' })
  })

  it('name a denial of the user, and a late request', async () => {
    const service = explained()
    const { clientId } = await register(service)
    await authorize(service, authorizationQuery(clientId))
    service.events.length = 0
    await decide(service, { decision: 'deny' })
    service.clock.now += 1000
    await decide(service)
    expect(stepNames(service)).toEqual([
      'client_found',
      'denied: consent_denied',
      'expired: consent_ticket_invalid',
    ])
    expect(references(service)).toHaveLength(1)
  })

  it('name where the document of the client comes from, and why it cannot be read', async () => {
    const { service, host } = openWithDocuments({ observer: signInAttempts })
    for (const answer of [{}, {}, fault('ECONNREFUSED')]) {
      host.answer = answer
      service.clock.now += answer instanceof Error ? 86_400 : 0
      await authorize(service, authorizationQuery(ID))
    }
    expect(stepsOf(service).filter(({ step }) => step === 'client_found')).toMatchObject([
      { document: 'host', clientKind: 'document' },
      { document: 'cache' },
      { outcome: 'failed', reason: 'document_unreachable', fault: 'ECONNREFUSED' },
    ])
  })

  it('name the look-up of a client whose document a feature refuses', async () => {
    const refusing = () => ({
      checkClient() {
        throw new OAuthError(ERRORS.client_metadata_invalid, 'client_name: Editor is reserved')
      },
    })
    const { service } = openWithDocuments({ observer: signInAttempts, features: [refusing] })
    await authorize(service, authorizationQuery(ID))
    expect(stepNames(service)).toEqual(['requested', 'client_found: document_refused'])
  })

  it('begin with the push of a pushed request', async () => {
    const service = openService({ observer: signInAttempts, features: [pushedAuthorizationRequests()] })
    const client = await register(service)
    service.events.length = 0
    const form = authorizationQuery(client.clientId)
    const pushed = bodyOf<{ request_uri: string }>(await service.send('POST', '/api/oauth/par', { form }))
    const query = new URLSearchParams({ client_id: client.clientId, request_uri: pushed.request_uri })
    await arrive(service, String(query))
    expect(stepNames(service)).toEqual([
      'requested',
      'requested',
      'client_found',
      'signed_in',
      'consent_shown',
    ])
    expect(references(service)).toHaveLength(1)
  })

  it('include the steps of a device', async () => {
    const { service, start, poll, enter, answer } = await openDeviceService({
      server: { observer: signInAttempts },
    })
    const started = await start()
    await poll(started)
    await enter(started.user_code)
    await answer()
    await poll(started)
    expect(stepNames(service)).toEqual(['requested', 'consent_shown', 'allowed', 'code_redeemed'])
    expect(references(service)).toHaveLength(1)
    const scopes = ['openid', 'courses:read']
    expect(stepsOf(service)[2]).toMatchObject({ grantId: expect.any(String), subject: 'alice', scopes })
  })

  it('have the facts of the request of a device, and one reference for each challenge', async () => {
    const { service, ask, tool } = await openDeviceService({ server: { observer: signInAttempts } })
    const challenge = { code_challenge: CHALLENGE, code_challenge_method: 'S256' }
    for (const _ of ['first', 'again']) expect((await ask(challenge)).status).toBe(200)
    const facts = { scopes: ['openid', 'courses:read'], clientId: tool.clientId, clientKind: 'integration' }
    expect(stepsOf(service).at(-1)).toMatchObject({ step: 'requested', ...facts })
    expect(references(service)).toHaveLength(1)
  })

  it('name a denial of a device, and a decision about a client that is gone', async () => {
    const { service, start, enter, answer, tool } = await openDeviceService({
      server: { observer: signInAttempts },
    })
    await enter((await start()).user_code)
    await answer('deny')
    await enter((await start()).user_code)
    await service.store.clients.remove(tool.clientId)
    await answer()
    expect(stepNames(service)).toEqual([
      ...['requested', 'consent_shown', 'denied: device_denied'],
      ...['requested', 'consent_shown', 'request_refused: client_unknown'],
    ])
    expect(references(service)).toHaveLength(2)
    expect(stepsOf(service).at(-1)).toMatchObject({ clientId: tool.clientId, subject: 'alice' })
  })
})

describe('the reference of an attempt', () => {
  /** The reference of a request that is refused, with its first group alone. */
  async function refused(
    service: Service,
    overrides: Record<string, string | undefined> = {},
  ): Promise<string> {
    service.events.length = 0
    await authorize(service, authorizationQuery('unknown', overrides))
    return stepsOf(service).at(-1)?.reference ?? ''
  }

  it('is derived from the state without a challenge, and random without both', async () => {
    const service = explained()
    const without = { code_challenge: undefined }
    const first = await refused(service, without)
    expect(await refused(service, without)).toBe(first)
    expect(await refused(service, { ...without, state: 'another' })).not.toBe(first)
    const random = { ...without, state: undefined }
    expect(await refused(service, random)).not.toBe(await refused(service, random))
  })

  it('is the same in an invalid token request as in its authorization request', async () => {
    const service = explained()
    const client = await register(service)
    const code = await codeFor(service, client.clientId)
    const { reference } = stepsOf(service).at(-1) as StepEvent
    const form = {
      ...credentials(client),
      grant_type: 'authorization_code',
      code,
      redirect_uri: REDIRECT_URI,
    }
    for (const wrong of [
      { code: 'unknown', code_verifier: VERIFIER },
      { redirect_uri: `${REDIRECT_URI}/`, code_verifier: VERIFIER },
      { code_verifier: 'x'.repeat(43) },
    ]) {
      const { error_description } = bodyOf(await requestToken(service, { ...form, ...wrong }))
      expect(parseReference(referenceIn(error_description)), JSON.stringify(wrong)).toBe(reference)
    }
  })

  it('tells a client nothing about the tokens of another one', async () => {
    const service = openService({ observer: signInAttempts, features: [tokenExchange()] })
    const owner = await register(service)
    const { access_token, refresh_token } = await tokensFor(service, owner)
    const { reference } = stepsOf(service).at(-1) as StepEvent
    const other = await register(service, {
      grant_types: ['authorization_code', 'refresh_token', TOKEN_EXCHANGE],
    })
    const asked = async (form: Record<string, string>) => {
      const sent = { client_id: other.clientId, code_verifier: VERIFIER, ...form }
      return referenceIn(bodyOf(await requestToken(service, sent)).error_description)
    }
    const wrong = (token: string) => `${token.slice(0, -3)}${token.endsWith('AAA') ? 'BBB' : 'AAA'}`
    const subject = { grant_type: TOKEN_EXCHANGE, subject_token_type: ACCESS_TOKEN_TYPE }
    const exchange = (token: string) => asked({ ...subject, subject_token: token })
    const refreshing = (token: string) => asked({ grant_type: 'refresh_token', refresh_token: token })
    for (const [ask, token] of [
      [exchange, access_token],
      [refreshing, refresh_token],
    ] as const) {
      const live = await ask(token)
      expect(parseReference(live)).not.toBe(reference)
      expect(await ask(wrong(token))).toBe(live)
    }
  })

  it('is that of a signed token that its client cannot exchange', async () => {
    const features = [jwtAccessTokens({ resources: { [ISSUER]: {} } }), tokenExchange()]
    const service = openService({ observer: signInAttempts, features })
    const grant_types = ['authorization_code', 'refresh_token', TOKEN_EXCHANGE]
    const owner = await register(service, { grant_types })
    const other = await register(service, { grant_types })
    const { access_token: subject_token } = await tokensFor(service, owner, { resource: ISSUER })
    expect(subject_token).toMatch(/^eyJ/)
    const { reference } = stepsOf(service).at(-1) as StepEvent
    const exchanged = async ({ clientId: client_id }: typeof owner, token = subject_token) => {
      const form = { client_id, subject_token: token, subject_token_type: ACCESS_TOKEN_TYPE, scope: 'x' }
      const { error_description } = bodyOf(
        await requestToken(service, { grant_type: TOKEN_EXCHANGE, ...form }),
      )
      return parseReference(referenceIn(error_description))
    }
    expect(await exchanged(owner)).toBe(reference)
    expect(await exchanged(other)).not.toBe(reference)
    expect(await exchanged(owner, `${subject_token.slice(0, -8)}AAAAAAAA`)).not.toBe(reference)
  })

  it('stays with the tokens of a grant that has ended', async () => {
    const service = explained()
    const { clientId } = await register(service)
    const { access_token, refresh_token } = await tokensFor(service, { clientId })
    const { reference } = stepsOf(service).at(-1) as StepEvent
    await service.server.grants.revokeAll('alice')
    service.events.length = 0
    await service.callApi(access_token, 'courses:read')
    await requestToken(service, { grant_type: 'refresh_token', refresh_token, client_id: clientId })
    expect(stepNames(service)).toEqual(['first_call: bearer_unknown', 'refreshed: refresh_token_unknown'])
    expect(references(service)).toEqual([reference])
  })

  it.each(['lives', 'has ended'])(
    'is not for a caller that guesses a token of a grant that %s',
    async (state) => {
      const service = explained()
      const owner = await register(service)
      const { access_token, refresh_token } = await tokensFor(service, owner)
      const { reference, grantId } = stepsOf(service).at(-1) as StepEvent
      if (state === 'has ended') await service.server.grants.revokeAll('alice')
      service.events.length = 0
      const guess = (token: string) => token.replace(/(?<=_.{22}\.).{22}/, 'A'.repeat(22))
      await service.callApi(guess(access_token), 'courses:read')
      const other = await register(service)
      const refreshing = (token: string, { clientId }: typeof owner) =>
        requestToken(service, { grant_type: 'refresh_token', refresh_token: token, client_id: clientId })
      await refreshing(guess(refresh_token), owner)
      await refreshing(refresh_token, other)
      const refused = stepsOf(service).filter(({ outcome }) => outcome === 'refused')
      expect(refused.map((step) => step.grantId)).toEqual([grantId, grantId, grantId])
      expect(refused.map((step) => step.reference)).not.toContain(reference)
    },
  )

  it('shows that the API was called when the API introspects a token', async () => {
    const service = explained()
    const api = await service.server.clients.add({
      clientName: 'API',
      redirectUris: [],
      resourceServer: true,
    })
    const { access_token } = await tokensFor(service, await register(service))
    const { reference } = stepsOf(service).at(-1) as StepEvent
    service.events.length = 0
    for (const token of [access_token, access_token, 'unknown'])
      await service.send('POST', '/api/oauth/introspect', { form: { token, ...credentials(api) } })
    expect([stepNames(service), references(service)]).toEqual([['first_call'], [reference]])
  })
})

describe('an error with a reference', () => {
  it('has it in its text, its body and its headers, which scripts may read', async () => {
    const service = explained()
    const response = await requestToken(service, {
      grant_type: 'authorization_code',
      code: 'x',
      client_id: 'x',
    })
    const { error_description, reference } = bodyOf(response)
    expect(reference).toMatch(/^[0-9A-Z]{4}-[0-9A-Z]{4}$/)
    expect(error_description).toBe(`${ERRORS.client_unknown.description} (ref ${reference})`)
    expect(response.headers).toMatchObject({
      'grantkit-reference': reference,
      'access-control-expose-headers': expect.stringContaining('Grantkit-Reference'),
    })
  })

  it('sends it to the client by redirect', async () => {
    const service = explained()
    const { clientId } = await register(service)
    const answer = redirectOf(await authorize(service, authorizationQuery(clientId, { scope: 'unknown' })))
    expect(parseReference(referenceIn(answer.error_description))).toBe(references(service).at(-1))
  })

  it('gives it to the error page, to the consent page, and to programs that read JSON in their place', async () => {
    const service = explained()
    const { clientId } = await register(service)
    await authorize(service, authorizationQuery(clientId))
    expect(parseReference(service.shown.consent?.reference ?? '')).toBe(references(service).at(-1))
    const page = await authorize(service, authorizationQuery('unknown'))
    const { description, reference } = service.shown.error ?? {}
    expect(description).toBe(ERRORS.client_unknown.description)
    expect(page.headers).toMatchObject({ 'grantkit-reference': reference })
    const json = await authorize(service, authorizationQuery('unknown'), { accept: 'application/json' })
    expect(bodyOf(json)).toMatchObject({
      error_description: `${description} (ref ${reference})`,
      reference,
      reason: 'client_unknown',
    })
  })

  it('has it in the challenge of a guard', async () => {
    const service = explained()
    const { access_token } = await tokensFor(service, await register(service))
    const access = await service.callApi(access_token, 'students:read')
    if (access.kind !== 'refused') throw new Error('The guard accepted the token')
    const { headers, body } = access.response
    const [, shown = ''] =
      /error_description="[^"]* \(ref ([^)]+)\)"/.exec(String(headers['www-authenticate'])) ?? []
    expect([JSON.parse(body).reference, headers['grantkit-reference']]).toEqual([shown, shown])
    expect(parseReference(shown)).toBe(references(service).at(-1))
    expect(service.api.corsHeaders).toEqual({ allowed: [], exposed: ['Grantkit-Reference'] })
  })

  it('does not exist for a request that has not failed', async () => {
    const { service, start, poll } = await openDeviceService({ server: { observer: signInAttempts } })
    const pending = await poll(await start())
    const anonymous = await service.send('GET', '/api/oauth/userinfo')
    for (const response of [pending, anonymous]) expect(JSON.stringify(response)).not.toContain('(ref ')
    expect(stepNames(service)).toEqual(['requested'])
  })
})
