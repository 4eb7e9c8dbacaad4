import type { HttpResponse, RateLimiter } from '@grantkit/core'
import { authorizationDetails, type DetailTypes } from '@grantkit/core/authorization-details'
import { CIBA_GRANT } from '@grantkit/core/backchannel-authentication'
import { dpop } from '@grantkit/core/dpop'
import { observers } from '@grantkit/core/feature'
import { createMemoryStore } from '@grantkit/store-memory'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { type Asked, addAgent, openBackchannelService, PAGE, SCOPE } from './backchannel-service.ts'
import { bodyOf, refresh, type TokenAnswer } from './client.ts'
import { proven } from './dpop-service.ts'
import { ISSUER, openService, SCOPES } from './service.ts'

const STEP_UP = { stepUp: { classes: ['pwd', 'phr'] } }
const errorOf = (answer: HttpResponse) => bodyOf(answer).error
const reasonsOf = ({ events }: { readonly events: readonly object[] }) =>
  events.flatMap((event) => ('reason' in event ? [event.reason] : []))

describe('a request for a user', () => {
  it('returns an id for polls, its lifetime and the interval, and tells the user', async () => {
    const { ask, service, notices, agent } = await openBackchannelService()
    const answer = await ask({ binding_message: 'Pay 12 EUR', resource: ISSUER })
    expect(answer).toMatchObject({ status: 200, headers: { 'cache-control': 'no-store' } })
    expect(bodyOf(answer)).toEqual({
      auth_req_id: expect.stringMatching(/^gkb_[\w-]{22}\.[\w-]{22}\.[\w-]{43}$/),
      expires_in: 300,
      interval: 5,
    })
    const { clientId } = agent
    const requestId = String(notices[0]?.requestId)
    const url = `${ISSUER}${PAGE}?request=${requestId}`
    const notice = { requestId, clientId, subject: 'alice', url, expiresAt: service.clock.now + 300 }
    expect(notices).toEqual([notice])
    expect(service.events).toContainEqual({ type: 'backchannel_requested', ...notice })
  })

  it('is in the metadata, where only this feature has it', async () => {
    const { service } = await openBackchannelService()
    expect(service.server.metadata).toMatchObject({
      backchannel_authentication_endpoint: `${ISSUER}/api/oauth/bc-authorize`,
      backchannel_token_delivery_modes_supported: ['poll'],
      backchannel_user_code_parameter_supported: false,
      grant_types_supported: expect.arrayContaining([CIBA_GRANT]),
    })
    const without = openService().server
    expect(JSON.stringify(without.metadata)).not.toMatch(/backchannel|ciba/)
    expect(without.routes.map(({ path }) => path)).not.toContain(PAGE)
  })

  it.each([
    ['30', 30],
    ['1', 30],
    ['120', 120],
    ['9999', 600],
  ])('lives as long as it asks within the limits of the server: %s', async (requested_expiry, expires_in) => {
    const { start } = await openBackchannelService()
    expect(await start({ requested_expiry })).toMatchObject({ expires_in })
  })

  it.each([
    ['without a user', { login_hint: '' }, 400, 'invalid_request', 'user_hint_missing'],
    [
      'with two hints',
      { id_token_hint: 'x', login_hint: 'alice' },
      400,
      'invalid_request',
      'user_hint_missing',
    ],
    [
      'with a token as hint',
      { login_hint_token: 'x' },
      400,
      'invalid_request',
      'login_hint_token_unsupported',
    ],
    [
      'in a request object',
      { request: 'e30.e30.x' },
      400,
      'request_not_supported',
      'request_object_unsupported',
    ],
    [
      'with a forged ID token',
      { id_token_hint: 'a.b.c' },
      400,
      'invalid_request',
      'backchannel_hint_unverified',
    ],
    ['without openid', { scope: 'courses:read' }, 400, 'invalid_scope', 'backchannel_openid_missing'],
    ['for an unknown scope', { scope: 'openid nope' }, 400, 'invalid_scope', 'scope_unknown'],
    ['for an unknown resource', { resource: 'https://o.example' }, 400, 'invalid_target', 'resource_unknown'],
    ['for no time', { requested_expiry: '0' }, 400, 'invalid_request', 'requested_expiry_invalid'],
    ['for a time in words', { requested_expiry: 'soon' }, 400, 'invalid_request', 'requested_expiry_invalid'],
    [
      'for a time with a sign',
      { requested_expiry: '-30' },
      400,
      'invalid_request',
      'requested_expiry_invalid',
    ],
    [
      'for a time with a unit',
      { requested_expiry: '30s' },
      400,
      'invalid_request',
      'requested_expiry_invalid',
    ],
    [
      'with an endless message',
      { binding_message: 'x'.repeat(61) },
      400,
      'invalid_binding_message',
      'binding_message_invalid',
    ],
    [
      'with an invisible message',
      { binding_message: '\u202e \u200b' },
      400,
      'invalid_binding_message',
      'binding_message_invalid',
    ],
    ['with a wrong secret', { client_secret: 'x' }, 401, 'invalid_client', 'client_secret_wrong'],
  ])('%s is refused, and nobody is told', async (_, form, status, error, reason) => {
    const { ask, service, notices } = await openBackchannelService()
    const answer = await ask(form)
    expect([answer.status, errorOf(answer), reasonsOf(service)]).toEqual([status, error, [reason]])
    expect(notices).toEqual([])
  })

  it('may have a message of sixty characters, however many bytes each one has', async () => {
    const { start, openLast, shown } = await openBackchannelService()
    const binding_message = '💶'.repeat(60)
    await start({ binding_message })
    await openLast()
    expect(shown.request?.message).toBe(binding_message)
  })

  it('of a client without the grant type is refused', async () => {
    const { ask, service } = await openBackchannelService()
    const other = await addAgent(service, { grantTypes: undefined, redirectUris: ['https://a.example/'] })
    const answer = await ask({}, other)
    expect([answer.status, errorOf(answer)]).toEqual([400, 'unauthorized_client'])
  })

  it('for a restricted scope is refused also to a client that may have it: its consent page knows who may allow it', async () => {
    const name = 'courses:write'
    const scopes = { ...SCOPES, [name]: { ...SCOPES[name], restricted: true } } as typeof SCOPES
    const { ask, service } = await openBackchannelService({ server: { scopes } })
    const admin = await addAgent(service, { scopes: ['openid', name] })
    const answer = await ask({ scope: `openid ${name}` }, admin)
    expect([answer.status, errorOf(answer)]).toEqual([400, 'invalid_scope'])
    expect(reasonsOf(service)).toEqual(['backchannel_scope_restricted'])
    expect((await ask({ scope: 'openid' }, admin)).status).toBe(200)
  })

  it('comes from no public client, and from none that registered itself', async () => {
    const { service } = await openBackchannelService()
    await expect(addAgent(service, { tokenEndpointAuthMethod: 'none' })).rejects.toMatchObject({
      error: 'invalid_client_metadata',
      message: `${CIBA_GRANT} needs a client that authenticates`,
    })
    const json = { redirect_uris: ['http://127.0.0.1:1/'], grant_types: [CIBA_GRANT, 'authorization_code'] }
    const registered = bodyOf(await service.send('POST', '/api/oauth/register', { json }))
    expect(registered.grant_types).not.toContain(CIBA_GRANT)
    const form = { client_id: String(registered.client_id), scope: SCOPE, login_hint: 'alice' }
    await service.send('POST', '/api/oauth/bc-authorize', { form })
    expect(reasonsOf(service)).toEqual(['client_not_confidential'])
  })

  it('may name the user by an ID token of this client, also an expired one', async () => {
    const { answered, poll, start, service, notices } = await openBackchannelService()
    const { id_token } = bodyOf<TokenAnswer>(await poll(await answered('allow')))
    service.clock.now += 90_000
    expect(await start({ id_token_hint: id_token })).toMatchObject({ interval: 5 })
    expect(notices.at(-1)).toMatchObject({ subject: 'alice' })
  })

  it('may name the user by a token that the application reads', async () => {
    const { start, notices } = await openBackchannelService({
      loginHintTokens: true,
      userOf: async ({ name, value }) => (name === 'login_hint_token' ? `user of ${value}` : undefined),
    })
    await start({ login_hint_token: 'x' })
    expect(notices).toMatchObject([{ subject: 'user of x' }])
  })

  it('is answered also if its user cannot be told', async () => {
    const { ask, service } = await openBackchannelService({
      notify: async () => {
        throw new Error('The mail server is down')
      },
    })
    expect((await ask()).status).toBe(200)
    const type = 'backchannel_notify_failed'
    await expect.poll(() => service.events).toContainEqual(expect.objectContaining({ type }))
  })
})

describe('a service with this feature', () => {
  it('needs nothing that tells users: a request waits on their page, and nothing has failed', async () => {
    const { ask, open, shown, service } = await openBackchannelService({ notify: undefined })
    expect((await ask()).status).toBe(200)
    await open()
    expect(shown.list?.requests).toHaveLength(1)
    expect(service.events.map(({ type }) => type)).toEqual(['client_added', 'backchannel_requested'])
  })

  it('tells an observer what a client asked, also one that gives requests no names', async () => {
    const reports: object[] = []
    const observer = observers(() => ({ report: (report) => void reports.push(report) }))
    const { ask, agent } = await openBackchannelService({ server: { observer } })
    expect((await ask()).status).toBe(200)
    const { clientId } = agent
    const parameters = expect.objectContaining({ login_hint: 'alice@server.example', client_id: clientId })
    const client = expect.objectContaining({ clientId })
    expect(reports).toContainEqual({ fact: 'request_read', parameters, client })
  })

  it('says what it limits, and by which reasons it refuses', async () => {
    const { rateLimits, errors } = (await openBackchannelService()).service.server.description
    expect(rateLimits).toMatchObject({
      backchannel_request: { points: 10, seconds: 3600 },
      backchannel_poll: { points: 18, seconds: 60 },
    })
    expect(Object.keys(errors)).toEqual(
      expect.arrayContaining([
        ...['user_hint_missing', 'request_open'],
        ...['backchannel_request_gone', 'auth_req_id_unknown'],
      ]),
    )
  })

  const { clients, grants } = openService().store
  const { openid: _, ...unsigned } = SCOPES
  it.each([
    ['backchannelAuthentication: the store has no transients', { server: { store: { clients, grants } } }],
    [
      'backchannelAuthentication: the catalogue has no scope openid',
      { server: { scopes: unsigned as typeof SCOPES } },
    ],
    ['backchannelAuthentication: maxAge must be a whole number of seconds, at least 60', { maxAge: 59 }],
    ['lifetimes.backchannelGrant must be a whole number of seconds, at least 1', { grantLifetime: 0 }],
    ['paths.requests must begin with a slash, without query: x', { paths: { requests: 'x' } }],
    [
      'paths.backchannelAuthentication must begin with a slash, without query: x',
      { paths: { backchannelAuthentication: 'x' } },
    ],
  ])('is not created where an option is wrong, which the error names: %s', async (message, options) => {
    await expect(openBackchannelService(options)).rejects.toThrow(message)
  })

  it('opens grants that live as long as its option says, also longer than grants of other flows', async () => {
    const grantLifetime = 3650 * 86_400
    const { answered, poll, service } = await openBackchannelService({ grantLifetime })
    expect((await poll(await answered('allow'))).status).toBe(200)
    const { grants } = await service.server.grants.list('alice')
    expect(grants).toMatchObject([{ expiresAt: service.clock.now + grantLifetime }])
  })
})

describe('a hint that no user has', () => {
  it('is answered like any other: the same members, the same limits, and never an approval', async () => {
    const { ask, poll, service, notices, agent } = await openBackchannelService()
    const login_hint = 'nobody@server.example'
    const known = await ask()
    const unknown = await ask({ login_hint })
    const shapeOf = ({ status, headers, body }: HttpResponse) => [
      status,
      headers,
      Object.keys(JSON.parse(body)),
    ]
    expect(shapeOf(unknown)).toEqual(shapeOf(known))
    expect(shapeOf(await ask({ login_hint }))).toEqual(shapeOf(await ask()))
    const asked = bodyOf<Asked>(unknown)
    expect(asked.auth_req_id).toHaveLength(bodyOf<Asked>(known).auth_req_id.length)
    expect(errorOf(await poll(asked))).toBe('authorization_pending')
    service.clock.now += 301
    expect(errorOf(await poll(asked))).toBe('expired_token')
    expect(notices).toHaveLength(1)
    const requestId = asked.auth_req_id.split('.')[1]
    const { clientId } = agent
    expect(service.events).toContainEqual({ type: 'backchannel_user_unknown', requestId, clientId })
  })

  it('counts by itself: another one may wait beside it', async () => {
    const { ask } = await openBackchannelService()
    const answers = []
    for (const login_hint of ['nobody', 'noone', 'nobody']) answers.push((await ask({ login_hint })).status)
    expect(answers).toEqual([200, 200, 429])
  })

  it.each(['alice@server.example', 'nobody@server.example'])(
    'is answered like any other also in another spelling, and by another name: %s',
    async (login_hint) => {
      const { ask, service } = await openBackchannelService({
        loginHintTokens: true,
        userOf: async ({ value }) => (value.trim().toLowerCase().startsWith('alice') ? 'alice' : undefined),
      })
      const spellings = [
        { login_hint },
        { login_hint: ` ${login_hint.toUpperCase()}` },
        { login_hint_token: login_hint },
      ]
      const answers = []
      for (const spelling of spellings) answers.push((await ask(spelling)).status)
      expect([answers, reasonsOf(service)]).toEqual([
        [200, 429, 429],
        ['request_open', 'request_open'],
      ])
    },
  )

  it('is told only if the operator wants that', async () => {
    const { ask } = await openBackchannelService({ tellUnknownUsers: true })
    const answer = await ask({ login_hint: 'nobody' })
    expect([answer.status, errorOf(answer)]).toEqual([400, 'unknown_user_id'])
  })
})

describe('the page of requests', () => {
  it('lists what waits for its user alone', async () => {
    const { start, open, shown, agent } = await openBackchannelService()
    await start({ binding_message: 'Pay  12\nEUR' })
    await open()
    const { clientId } = agent
    const href = expect.stringMatching(/^\/oauth\/requests\?request=[\w-]{22}$/)
    expect(shown.list?.requests).toMatchObject([
      { client: { clientId, clientName: 'Night agent' }, message: 'Pay 12 EUR', age: 0, href },
    ])
    await open('', 'user=bob')
    expect(shown.list?.requests).toEqual([])
  })

  it('shows who asks for what, since when and from where, and what the client says', async () => {
    const { start, openLast, shown, service } = await openBackchannelService()
    await start({ binding_message: 'Order 17' })
    service.clock.now += 20
    expect((await openLast()).body).toBe('request')
    expect(shown.request).toMatchObject({
      client: { clientName: 'Night agent', origin: 'integration' },
      message: 'Order 17',
      age: 20,
      network: '203.0.113.0/24',
      sameNetwork: false,
      scopes: [{ name: 'openid' }, { name: 'courses:read' }],
    })
  })

  it('shows authorization details in words, and the event and the tokens are for those that the page has shown', async () => {
    const schema = z.object({ amount: z.int() })
    const types: DetailTypes = { payment: { schema, describe: ({ amount }) => `Pay ${amount} EUR` } }
    const features = [authorizationDetails({ types })]
    const { ask, start, openLast, answer, poll, shown, service } = await openBackchannelService({
      server: { features },
    })
    const wrong = { authorization_details: JSON.stringify([{ type: 'payment', amount: 'all' }]) }
    expect(errorOf(await ask(wrong))).toBe('invalid_authorization_details')
    const details = [{ type: 'payment', amount: 12 }]
    const asked = await start({ authorization_details: JSON.stringify(details) })
    await openLast()
    const view = shown.request?.terms?.authorization_details
    expect(view?.details).toEqual([{ type: 'payment', text: 'Pay 12 EUR' }])
    expect((await answer('allow')).status).toBe(400)
    expect(errorOf(await poll(asked))).toBe('authorization_pending')
    await answer('allow', { authorization_details: String(view?.shown) })
    const terms = { authorization_details: expect.anything() }
    expect(service.events).toContainEqual(expect.objectContaining({ type: 'backchannel_approved', terms }))
    expect(bodyOf(await poll(asked))).toMatchObject({ authorization_details: details })
  })

  it('asks a user who is signed out for a sign-in: for the list, for a request and for each form', async () => {
    const { start, open, answer, openLast, service, shown, agent } = await openBackchannelService()
    await start()
    await openLast()
    await open()
    const form = { ticket: String(shown.list?.ticket), client_id: agent.clientId }
    const answers = [
      await open('', ''),
      await open('request=nope', ''),
      await answer('allow', {}, ''),
      await service.send('POST', PAGE, { form }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([303, 303, 303, 303])
    expect(service.shown.signIn).toBe(PAGE)
  })

  it('shows a request until the second in which it ends, and none that was answered or never was', async () => {
    const { answered, start, open, openLast, service } = await openBackchannelService()
    await answered('deny')
    expect((await openLast()).body).toBe('backchannel_request_answered')
    await start()
    service.clock.now += 299
    expect((await openLast()).body).toBe('request')
    service.clock.now += 1
    expect((await openLast()).body).toBe('backchannel_request_gone')
    expect((await open('request=nope')).body).toBe('backchannel_request_unknown')
  })

  it('lists no client that is gone: not what it asks, and not its silence', async () => {
    const { answered, start, open, shown, service, agent } = await openBackchannelService()
    await answered('deny', { never: 'yes' })
    const asking = await addAgent(service)
    await start({}, asking)
    for (const { clientId } of [agent, asking]) await service.store.clients.remove(clientId)
    expect((await open()).status).toBe(200)
    expect([shown.list?.requests, shown.list?.blocked]).toEqual([[], []])
  })

  it.each([
    ['allow', true],
    ['deny', false],
  ] as const)('says after the answer %s whether the client is allowed: %s', async (decision, allowed) => {
    const { answered, shown, agent } = await openBackchannelService()
    await answered(decision)
    const client = { clientId: agent.clientId }
    expect(shown.answered).toMatchObject({ client, allowed, href: PAGE, locale: 'en' })
    expect(shown.answered?.blockedUntil).toBeUndefined()
  })

  it('needs a recent sign-in, and comes back to the request', async () => {
    const { start, openLast, notices, service } = await openBackchannelService()
    await start()
    for (const cookie of ['', `user=alice@${service.clock.now - 3601}`]) {
      expect((await openLast(cookie)).status).toBe(303)
      expect(service.shown.signIn).toBe(`${PAGE}?request=${notices[0]?.requestId}`)
    }
  })

  it.each([
    ['is signed out', () => ''],
    ['signed in more weakly before', (now: number) => `user=alice@${now - 9}/pwd/pwd`],
    ['signed in more weakly since', (now: number) => `user=alice@${now}/pwd/pwd`],
  ])('asks a user who %s for a sign-in as strong as the client wants', async (_, cookieAt) => {
    const { start, open, openLast, answer, poll, service } = await openBackchannelService({ server: STEP_UP })
    const { now } = service.clock
    const asked = await start({ acr_values: 'phr' })
    expect((await openLast(cookieAt(now))).status).toBe(303)
    expect(service.shown.signInHint).toMatchObject({ acrValues: ['phr'] })
    const [, back] = String(service.shown.signIn).split('?')
    const strong = `user=alice@${now}/phr/hwk.pin`
    expect((await open(back, strong)).body).toBe('request')
    await answer('allow', {}, strong)
    const { access_token } = bodyOf<TokenAnswer>(await poll(asked))
    const { grants } = await service.server.grants.list('alice')
    expect(grants).toMatchObject([{ acr: 'phr', amr: ['hwk', 'pin'], authTime: now }])
    expect(access_token).toMatch(/^gka_/)
  })

  it.each(['', 'user=alice@1/pwd/pwd'])(
    'asks once, and then shows the error: before it was "%s"',
    async (before) => {
      const { start, open, openLast, service } = await openBackchannelService({ server: STEP_UP })
      await start({ acr_values: 'phr' })
      await openLast(before)
      const [, back] = String(service.shown.signIn).split('?')
      const answer = await open(back, `user=alice@${service.clock.now}/pwd/pwd`)
      expect([answer.status, answer.body]).toEqual([400, 'acr_values_unmet'])
    },
  )
})

describe('polls', () => {
  it('are pending until the user answers, and then get the tokens of that approval', async () => {
    const { start, poll, openLast, answer, service, agent } = await openBackchannelService()
    const asked = await start()
    expect(errorOf(await poll(asked))).toBe('authorization_pending')
    await openLast()
    expect((await answer()).body).toBe('answered')
    const tokens = bodyOf<TokenAnswer>(await poll(asked))
    expect(tokens).toMatchObject({ scope: SCOPE, token_type: 'Bearer', refresh_token: expect.any(String) })
    const [, payload = ''] = tokens.id_token.split('.')
    expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).toMatchObject({
      sub: 'alice',
      aud: agent.clientId,
      auth_time: service.clock.now,
    })
    const { grants } = await service.server.grants.list('alice')
    expect(grants).toMatchObject([{ origin: 'backchannel', network: '203.0.113.0/24' }])
    expect((await refresh(service, agent, tokens.refresh_token)).status).toBe(200)
  })

  it('get access_denied after a denial, and expired_token when nobody answered', async () => {
    const { answered, start, poll, service } = await openBackchannelService()
    const denied = await poll(await answered('deny'))
    expect([denied.status, errorOf(denied)]).toEqual([400, 'access_denied'])
    const asked = await start()
    service.clock.now += 300
    expect(errorOf(await poll(asked))).toBe('expired_token')
    service.clock.now += 301
    expect(errorOf(await poll(asked))).toBe('invalid_grant')
  })

  it('that come too often are slowed down, and never after the decision', async () => {
    const counts = new Map<string, number>()
    const rateLimiter: RateLimiter = {
      async take(limit, key) {
        const name = `${limit} ${key}`
        counts.set(name, (counts.get(name) ?? 0) + 1)
        return limit === 'backchannel_poll' && (counts.get(name) ?? 0) > 1 ? 9 : 0
      },
    }
    const { start, poll, openLast, answer } = await openBackchannelService({ server: { rateLimiter } })
    const asked = await start()
    await poll(asked)
    expect(bodyOf(await poll(asked))).toMatchObject({ error: 'slow_down', interval: 10 })
    await openLast()
    await answer()
    expect((await poll(asked)).status).toBe(200)
  })

  it('get the same answer again while it may have been lost, and later end the grant', async () => {
    const { answered, poll, service, agent } = await openBackchannelService()
    const asked = await answered('allow')
    const first = bodyOf<TokenAnswer>(await poll(asked))
    service.clock.now += 20
    const again = bodyOf<TokenAnswer>(await poll(asked))
    expect([again.access_token, again.refresh_token]).toEqual([first.access_token, first.refresh_token])
    const ids = { grantId: expect.any(String), clientId: agent.clientId }
    expect(service.events.filter(({ type }) => type.startsWith('auth_req_id'))).toStrictEqual([
      { type: 'auth_req_id_redeemed', ...ids },
      { type: 'auth_req_id_retried', ...ids, retried: 'in window' },
    ])
    service.clock.now += 3600
    expect(errorOf(await poll(asked))).toBe('invalid_grant')
    expect((await service.server.grants.list('alice')).grants).toEqual([])
  })

  it('fifty at once against one approval get the tokens of one grant', async () => {
    const { start, poll, openLast, answer, service } = await openBackchannelService()
    const asked = await start()
    await openLast()
    const [, ...answers] = await Promise.all([answer(), ...Array.from({ length: 50 }, () => poll(asked))])
    const bodies = answers.map((one) => bodyOf<Partial<TokenAnswer & { error: string }>>(one))
    const last = bodyOf<TokenAnswer>(await poll(asked))
    for (const { access_token, error } of bodies)
      expect(error ?? access_token).toBe(error ? 'authorization_pending' : last.access_token)
    expect((await service.server.grants.list('alice')).grants).toHaveLength(1)
  })
})

describe('the bounds of what can wait for a user', () => {
  it('are one request of a client, whose next one is told when to come back', async () => {
    const { start, ask, service, openLast, answer } = await openBackchannelService()
    await start({ requested_expiry: '100' })
    const next = await ask()
    expect([next.status, errorOf(next), next.headers['retry-after']]).toEqual([
      429,
      'temporarily_unavailable',
      '100',
    ])
    expect(reasonsOf(service)).toEqual(['request_open'])
    await openLast()
    await answer()
    expect((await ask()).status, 'after the answer').toBe(200)
  })

  it('are five requests of all clients, also when they come at once', async () => {
    const { ask, start, service, open, shown } = await openBackchannelService()
    const agents = await Promise.all(Array.from({ length: 8 }, () => addAgent(service)))
    const answers = await Promise.all(agents.map((agent) => ask({}, agent)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 200, 200, 429, 429, 429])
    await open()
    expect(shown.list?.requests).toHaveLength(5)
    const expiries = ['300', '120', '200', '150', '180']
    for (const requested_expiry of expiries)
      await start({ login_hint: 'bob', requested_expiry }, await addAgent(service))
    const sixth = await ask({ login_hint: 'bob' })
    expect([sixth.status, sixth.headers['retry-after']], 'when the first one ends').toEqual([429, '120'])
    service.clock.now += 120
    expect((await ask({ login_hint: 'bob' })).status, 'then').toBe(200)
  })

  it('are ten requests of a client in an hour', async () => {
    const { answered, ask, service } = await openBackchannelService()
    for (let asked = 0; asked < 10; asked++) await answered('allow')
    expect((await ask()).status).toBe(429)
    expect(reasonsOf(service)).toContain('too_many_backchannel_requests')
    expect((await ask({ login_hint: 'bob' })).status, 'for another user').toBe(200)
    expect((await ask({}, await addAgent(service))).status, 'of another client').toBe(200)
    service.clock.now += 3601
    expect((await ask()).status).toBe(200)
  })

  it('three denials silence the client for a day, for this user alone', async () => {
    const { answered, ask, service, shown } = await openBackchannelService()
    for (let denied = 0; denied < 3; denied++) await answered('deny')
    expect(shown.answered).toMatchObject({ blockedUntil: service.clock.now + 86_400 })
    const blocked = await ask()
    expect([blocked.status, errorOf(blocked)]).toEqual([403, 'access_denied'])
    expect((await ask({ login_hint: 'bob' })).status).toBe(200)
    expect((await ask({}, await addAgent(service))).status, 'another client').toBe(200)
    service.clock.now += 86_400
    expect((await ask()).status, 'a day later').toBe(200)
  })

  it.each([
    ['a second less than a day', 86_399, 86_400],
    ['a day', 86_400, undefined],
  ])('the third denial counts the first one after %s: %d', async (_, age, blocks) => {
    const { answered, service, shown } = await openBackchannelService()
    await answered('deny')
    service.clock.now += 1
    await answered('deny')
    service.clock.now += age - 1
    await answered('deny')
    expect(shown.answered?.blockedUntil).toBe(blocks && service.clock.now + blocks)
  })

  it('neither an approval nor the denial of another client is one of the three', async () => {
    const { answered, start, openLast, answer, service, shown } = await openBackchannelService()
    const blocks = []
    for (const decision of ['allow', 'allow', 'deny', 'deny'] as const) {
      await answered(decision)
      blocks.push(shown.answered?.blockedUntil)
    }
    await start({}, await addAgent(service))
    await openLast()
    await answer('deny')
    expect([...blocks, shown.answered?.blockedUntil]).toEqual(Array.from({ length: 5 }))
  })

  it('an answer takes its own request off the list, and no other', async () => {
    const { start, openLast, answer, open, shown, service } = await openBackchannelService()
    const other = await addAgent(service)
    await start({}, other)
    await start()
    await openLast()
    await answer()
    await open()
    expect(shown.list?.requests).toMatchObject([{ client: { clientId: other.clientId } }])
  })

  it('a form that is sent twice is one denial', async () => {
    const { start, openLast, answer, ask } = await openBackchannelService()
    await start()
    await openLast()
    for (let sent = 0; sent < 4; sent++) expect((await answer('deny')).status).toBe(200)
    expect((await ask()).status).toBe(200)
  })

  it('"never ask again" holds until the user takes it back', async () => {
    const { answered, ask, service, open, shown, agent } = await openBackchannelService()
    await answered('deny', { never: 'yes' })
    service.clock.now += 30 * 86_400
    expect((await ask()).status).toBe(403)
    await open()
    expect(shown.list?.blocked).toMatchObject([{ clientId: agent.clientId }])
    const form = { ticket: String(shown.list?.ticket), client_id: agent.clientId }
    const headers = { cookie: 'user=alice' }
    await service.send('POST', PAGE, { form: { ...form, ticket: 'x' }, headers })
    expect((await ask()).status, 'after a forged form').toBe(403)
    await service.send('POST', PAGE, { form, headers })
    expect(shown.list?.blocked).toEqual([])
    expect(service.events).toContainEqual({
      type: 'backchannel_unblocked',
      clientId: agent.clientId,
      subject: 'alice',
    })
    expect((await ask()).status).toBe(200)
  })
})

/** The ids of the clients on the list. */
async function listed({
  open,
  shown,
}: Pick<Awaited<ReturnType<typeof openBackchannelService>>, 'open' | 'shown'>) {
  await open()
  const { unanswered = [], blocked = [] } = shown.list ?? {}
  const idOf = ({ clientId }: { readonly clientId: string }) => clientId
  return { unanswered: unanswered.map(idOf), blocked: blocked.map(idOf) }
}

describe('a client whose request ended while its user was away', () => {
  it('can be silenced from the list, and only such a client', async () => {
    const { start, ask, service, open, shown, agent } = await openBackchannelService()
    const { clientId } = agent
    await start()
    const silence = () => {
      const form = { ticket: String(shown.list?.ticket), client_id: clientId, never: 'yes' }
      return service.send('POST', PAGE, { form, headers: { cookie: 'user=alice' } })
    }
    await open()
    expect(shown.list?.unanswered, 'while it waits').toEqual([])
    await silence()
    service.clock.now += 300
    expect((await ask()).status, 'after a form for another client').toBe(200)
    service.clock.now += 300
    await open()
    expect(shown.list?.unanswered).toMatchObject([{ clientId }])
    await silence()
    expect([shown.list?.unanswered, shown.list?.blocked]).toMatchObject([[], [{ clientId }]])
    const blockedUntil = service.clock.now + 366 * 86_400
    const denied = { type: 'backchannel_denied', clientId, subject: 'alice', blockedUntil }
    expect(service.events).toContainEqual({ ...denied, requestId: expect.any(String) })
    expect((await ask()).status).toBe(403)
  })

  it('is not under both headings once it is silenced', async () => {
    const { start, service, open, shown, agent } = await openBackchannelService()
    const { clientId } = agent
    await start()
    service.clock.now += 300
    await start()
    await open()
    const form = { ticket: String(shown.list?.ticket), client_id: clientId, never: 'yes' }
    await service.send('POST', PAGE, { form, headers: { cookie: 'user=alice' } })
    service.clock.now += 300
    await open()
    expect([shown.list?.unanswered, shown.list?.blocked]).toMatchObject([[], [{ clientId }]])
  })

  it('is on the list for a day, and not after an answer', async () => {
    const { start, answered, service, agent, ...pages } = await openBackchannelService()
    const { clientId } = agent
    const other = await addAgent(service)
    await start()
    service.clock.now += 300
    expect(await listed(pages)).toEqual({ unanswered: [clientId], blocked: [] })
    service.clock.now += 86_399
    await start({}, other)
    expect((await listed(pages)).unanswered, 'a second less than a day later').toEqual([clientId])
    service.clock.now += 1
    expect((await listed(pages)).unanswered, 'a day later').toEqual([])
    await start()
    service.clock.now += 300
    expect((await listed(pages)).unanswered.toSorted()).toEqual([clientId, other.clientId].toSorted())
    await answered('allow')
    expect((await listed(pages)).unanswered, 'after an answer to the next one').toEqual([other.clientId])
  })

  it('and one that is silenced have forms that change nothing for other clients', async () => {
    const { answered, start, openLast, answer, service, agent, ...pages } = await openBackchannelService()
    const [second, away, other] = [await addAgent(service), await addAgent(service), await addAgent(service)]
    await answered('deny', { never: 'yes' })
    await start({}, second)
    await openLast()
    await answer('deny', { never: 'yes' })
    await start({}, away)
    service.clock.now += 300
    const before = { unanswered: [away.clientId], blocked: [agent.clientId, second.clientId] }
    expect(await listed(pages)).toEqual(before)
    const change = async ({ clientId }: typeof agent, never = '', headers = {}) => {
      const form = { ticket: String(pages.shown.list?.ticket), client_id: clientId, never }
      return service.send('POST', PAGE, { form, headers: { cookie: 'user=alice', ...headers } })
    }
    const events = [...service.events]
    await change(other)
    await change(other, 'yes')
    await change(agent, 'yes')
    expect([await listed(pages), service.events], 'forms without effect').toEqual([before, events])
    const crossSite = await change(agent, '', { 'sec-fetch-site': 'cross-site' })
    expect([crossSite.status, await listed(pages)], 'a form of another site').toEqual([403, before])
    await change(agent)
    expect(await listed(pages)).toEqual({ unanswered: [away.clientId], blocked: [second.clientId] })
    await change(away, 'yes')
    expect(await listed(pages)).toEqual({ unanswered: [], blocked: [second.clientId, away.clientId] })
  })

  it('begins anew when the user takes its silence back: nothing from before counts', async () => {
    const { answered, start, service, agent, ...pages } = await openBackchannelService()
    const change = async (never: string) => {
      await pages.open()
      const form = { ticket: String(pages.shown.list?.ticket), client_id: agent.clientId, never }
      await service.send('POST', PAGE, { form, headers: { cookie: 'user=alice' } })
    }
    await start()
    service.clock.now += 300
    await change('yes')
    await change('')
    expect(await listed(pages)).toEqual({ unanswered: [], blocked: [] })
    for (let denied = 0; denied < 3; denied++) await answered('deny')
    await change('')
    await answered('deny')
    expect(pages.shown.answered?.blockedUntil).toBeUndefined()
  })

  it('is one of at most fifty that a user has silenced, of which the oldest goes first', async () => {
    const { start, openLast, answer, service, ...pages } = await openBackchannelService()
    const silenced: string[] = []
    for (let count = 0; count < 51; count++) {
      const client = await addAgent(service)
      silenced.push(client.clientId)
      await start({}, client)
      await openLast()
      await answer('deny', { never: 'yes' })
    }
    expect((await listed(pages)).blocked).toEqual(silenced.slice(1))
  })
})

/** A service whose store does something else before a write, if its id begins like this. */
async function openWithWrites() {
  const { transients, ...store } = createMemoryStore({ now: () => 1_800_000_000 })
  if (transients === undefined) throw new Error('The store has no transients')
  const before: { prefix: string; act?: (() => Promise<unknown>) | undefined } = { prefix: 'backchannel ' }
  const first = async (id: string) => {
    const { act } = before
    if (act === undefined || !id.startsWith(before.prefix)) return
    before.act = undefined
    await act()
  }
  const watched: typeof transients = {
    ...transients,
    insert: (id, ...record) => first(id).then(() => transients.insert(id, ...record)),
    replace: (id, ...record) => first(id).then(() => transients.replace(id, ...record)),
  }
  const opened = await openBackchannelService({ server: { store: { ...store, transients: watched } } })
  return { ...opened, before }
}

const DOWN = () => Promise.reject(new Error('The store is down'))

describe('a write that fails', () => {
  it('of a request gives back its place, and no other', async () => {
    const { ask, start, before, service, open, shown } = await openWithWrites()
    await start({}, await addAgent(service))
    before.act = DOWN
    expect((await ask()).status).toBeGreaterThanOrEqual(500)
    expect((await ask()).status).toBe(200)
    await open()
    expect(shown.list?.requests).toHaveLength(2)
  })

  it('of the list after an answer leaves no answered request on the page', async () => {
    const { start, openLast, answer, open, shown, before } = await openWithWrites()
    before.act = open
    await start()
    expect(shown.list?.requests, 'while it is being stored').toEqual([])
    await openLast()
    Object.assign(before, { prefix: 'backchannel-user ', act: DOWN })
    expect((await answer()).status).toBeGreaterThanOrEqual(500)
    expect((await open()).status).toBe(200)
    expect(shown.list?.requests).toEqual([])
  })

  it.each([
    ['allow', 'backchannel_approved'],
    ['deny', 'backchannel_denied'],
  ])('of the list after the answer %s loses no event: %s', async (decision, type) => {
    const { start, openLast, answer, service, before } = await openWithWrites()
    await start()
    await openLast()
    Object.assign(before, { prefix: 'backchannel-user ', act: DOWN })
    expect((await answer(decision)).status).toBeGreaterThanOrEqual(500)
    expect((await answer(decision)).status).toBe(200)
    expect(service.events.filter((event) => event.type === type)).toHaveLength(1)
  })
})

it('a form that is sent again with "never" tells of the block', async () => {
  const { answered, answer, service } = await openBackchannelService()
  await answered('deny')
  await answer('deny', { never: 'yes' })
  const blockedUntil = service.clock.now + 366 * 86_400
  const denied = { type: 'backchannel_denied', blockedUntil }
  expect(service.events).toContainEqual(expect.objectContaining(denied))
})

describe('an attack', () => {
  it('by a message that speaks for the server is words of the client: short, on one line, visible', async () => {
    const { start, openLast, shown } = await openBackchannelService()
    await start({ binding_message: 'Grantkit support:\n\u202eplease approve' })
    await openLast()
    expect(shown.request?.message).toBe('Grantkit support: please approve')
  })

  it('by a forwarded link finds nothing: the session is the one of the subject', async () => {
    const { start, openLast, answer, service, poll } = await openBackchannelService()
    const asked = await start()
    expect((await openLast('user=bob')).status).toBe(404)
    expect(service.shown.error).toMatchObject({ reason: 'backchannel_request_unknown' })
    await openLast()
    expect((await answer('allow', {}, 'user=bob')).status).toBe(400)
    expect(service.shown.error).toMatchObject({ reason: 'backchannel_request_gone' })
    expect(errorOf(await poll(asked))).toBe('authorization_pending')
  })

  it('by a form of another site is refused', async () => {
    const { start, openLast, shown, service } = await openBackchannelService()
    await start()
    await openLast()
    const [path = '', query = ''] = String(shown.request?.action).split('?')
    const form = { ticket: String(shown.request?.ticket), decision: 'allow', scope: 'courses:read' }
    const headers = { cookie: 'user=alice', 'sec-fetch-site': 'cross-site' }
    expect((await service.send('POST', path, { query, form, headers })).status).toBe(403)
  })

  it('by another client that learned the id gets nothing, and ends nothing', async () => {
    const { answered, poll, service } = await openBackchannelService()
    const asked = await answered('allow')
    expect(errorOf(await poll(asked, {}, await addAgent(service)))).toBe('invalid_grant')
    expect((await poll(asked)).status).toBe(200)
  })

  it('by a thief of the id without the key of its request gets nothing', async () => {
    const { service, poll, openLast, answer, agent } = await openBackchannelService({
      server: { features: [dpop()] },
    })
    const path = '/api/oauth/bc-authorize'
    const secret = { client_id: agent.clientId, client_secret: agent.clientSecret ?? '' }
    const form = { ...secret, scope: SCOPE, login_hint: 'alice' }
    const headers = proven(service, path)
    const asked = bodyOf<Asked>(await service.send('POST', path, { form, headers }))
    await openLast()
    await answer()
    expect(errorOf(await poll(asked))).toBe('invalid_dpop_proof')
  })

  it('by a guessed id is an unknown one', async () => {
    const { answered, poll } = await openBackchannelService()
    const { auth_req_id } = await answered('allow')
    const [grant, request] = auth_req_id.split('.')
    expect(errorOf(await poll({ auth_req_id: `${grant}.${request}.${'A'.repeat(43)}` }))).toBe(
      'invalid_grant',
    )
    expect(errorOf(await poll({ auth_req_id: 'guess' }))).toBe('invalid_grant')
    expect((await poll({ auth_req_id })).status).toBe(200)
  })

  it('by a request from before a reset of the password ends with the sessions of the user', async () => {
    const { start, openLast, answer, poll, open, shown, ask, service } = await openBackchannelService()
    const asked = await start()
    await openLast()
    await service.server.sessions.ended({ subject: 'alice', sessionIds: ['one'] })
    expect(errorOf(await poll(asked)), 'a sign-out in one browser').toBe('authorization_pending')
    await service.server.sessions.ended({ subject: 'alice', sessionIds: [], all: true })
    expect((await answer()).status).toBe(400)
    expect(service.shown.error).toMatchObject({ reason: 'backchannel_request_gone' })
    expect(errorOf(await poll(asked))).toBe('expired_token')
    await open()
    expect(shown.list?.requests).toEqual([])
    expect((await ask()).status, 'a new request').toBe(200)
  })

  it('by a request that is being stored during that reset ends with it too', async () => {
    const { start, poll, before, service, notices, open } = await openWithWrites()
    const other = await addAgent(service)
    before.act = async () => {
      await service.server.sessions.ended({ subject: 'alice', sessionIds: [], all: true })
      await start({}, other)
    }
    const asked = await start()
    expect(errorOf(await poll(asked))).toBe('expired_token')
    expect(notices, 'only of the one after the reset').toMatchObject([{ clientId: other.clientId }])
    const page = await open(`request=${asked.auth_req_id.split('.')[1]}`)
    expect([page.status, service.shown.error?.reason]).toEqual([400, 'backchannel_request_gone'])
  })

  it('by a hint that is the ID token of another client is refused', async () => {
    const { answered, poll, ask, service } = await openBackchannelService()
    const { id_token } = bodyOf<TokenAnswer>(await poll(await answered('allow')))
    const answer = await ask({ id_token_hint: id_token }, await addAgent(service))
    expect([answer.status, errorOf(answer)]).toEqual([400, 'invalid_request'])
    expect(reasonsOf(service)).toEqual(['backchannel_hint_unverified'])
  })
})
