import { randomBytes } from 'node:crypto'
import type { HttpResponse, RateLimiter, Store } from '@grantkit/core'
import { clientAssertion } from '@grantkit/core/client-assertion'
import { DEVICE_CODE_GRANT } from '@grantkit/core/device'
import { pushedAuthorizationRequests } from '@grantkit/core/par'
import { describe, expect, it } from 'vitest'
import { bodyOf, refresh, register, requestToken, type TokenAnswer } from './client.ts'
import { addTool, BROWSER, DEVICE, openDeviceService, SCOPE, type Started } from './device-service.ts'
import { CHALLENGE, ISSUER, openService, VERIFIER } from './service.ts'
import { assertionForm, assertionOf, newKey } from './signed-assertions.ts'

const errorOf = (answer: HttpResponse) => bodyOf(answer).error

type Opened = Awaited<ReturnType<typeof openDeviceService>>

function transientsOf({ service }: Opened): NonNullable<Store['transients']> {
  const { transients } = service.store
  if (transients === undefined) throw new Error('The store has no transients')
  return transients
}

it('the response to a device shows the scope and resource of its token, also when repeated, if the option is on', async () => {
  const { start, approve, poll } = await openDeviceService({ server: { resourceInTokenResponse: true } })
  const started = await start({ resource: ISSUER })
  await approve(started)
  expect(bodyOf(await poll(started))).toMatchObject({ resource: ISSUER })
  expect(bodyOf(await poll(started))).toMatchObject({ resource: ISSUER })
})

describe('a device authorization request', () => {
  it('returns both codes, the verification URI, their lifetime and the interval', async () => {
    const { ask, service } = await openDeviceService()
    const answer = await ask()
    expect(answer).toMatchObject({ status: 200, headers: { 'cache-control': 'no-store' } })
    expect(bodyOf(answer)).toEqual({
      device_code: expect.stringMatching(/^gkd_[\w-]{22}\.[\w-]{22}\.[\w-]{43}$/),
      user_code: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/),
      verification_uri: `${ISSUER}/oauth/device`,
      expires_in: 600,
      interval: 5,
    })
    expect(service.events).toContainEqual({
      type: 'device_requested',
      requestId: expect.stringMatching(/^[\w-]{22}$/),
      clientId: expect.any(String),
    })
  })

  it('returns verification_uri_complete only if the option is on', async () => {
    const { start, open, shown, service } = await openDeviceService({ completeUri: true })
    const { user_code, verification_uri_complete } = await start()
    expect(verification_uri_complete).toBe(`${ISSUER}/oauth/device?user_code=${user_code}`)
    await open('user=alice', `user_code=${user_code}`)
    expect([shown.code, shown.device]).toMatchObject([{ typed: user_code, wrong: false }, undefined])
    await open('', `user_code=${user_code}`)
    expect(service.shown.signIn).toBe(`/oauth/device?user_code=${user_code}`)
    await open('', 'user_code=//evil.example&user_code=x')
    expect(service.shown.signIn).toBe('/oauth/device')
  })

  it('DV-01: a link with a user code prefills nothing, and approves nothing', async () => {
    const { start, open, poll, shown } = await openDeviceService()
    const started = await start()
    const { body } = await open('user=alice', `user_code=${started.user_code}&decision=allow`)
    expect([body, shown.code]).toMatchObject(['code', { typed: '' }])
    expect(errorOf(await poll(started))).toBe('authorization_pending')
  })

  it.each([
    ['of a client that is unknown', { client_id: 'unknown' }, 401, 'invalid_client'],
    ['with a scope above the ceiling', { scope: 'courses:write' }, 400, 'invalid_scope'],
    ['with a scope that does not exist', { scope: 'nope' }, 400, 'invalid_scope'],
    ['without a scope', { scope: '' }, 400, 'invalid_request'],
    ['for an unknown resource', { resource: 'https://other.example' }, 400, 'invalid_target'],
    ['with a plain challenge', { code_challenge: CHALLENGE }, 400, 'invalid_request'],
    ['with the method of a challenge alone', { code_challenge_method: 'S256' }, 400, 'invalid_request'],
  ])('%s is refused, and nothing is kept', async (_, form, status, error) => {
    const { ask, service } = await openDeviceService()
    const answer = await ask(form)
    expect([answer.status, errorOf(answer)]).toEqual([status, error])
    expect(service.events.filter(({ type }) => type.startsWith('device'))).toEqual([])
  })

  it('names the scope that no device can get', async () => {
    const { ask } = await openDeviceService()
    const { error_description } = bodyOf(await ask({ scope: 'courses:read courses:write' }))
    expect(error_description).toBe("Devices cannot get the scope 'courses:write'. Leave it out")
  })

  it('with a DPoP proof gets codes also from a server without DPoP', async () => {
    const { service, tool } = await openDeviceService()
    const form = { client_id: tool.clientId, scope: SCOPE }
    const headers = { dpop: 'proof' }
    const answer = await service.send('POST', '/api/oauth/device_authorization', { form, headers })
    expect(answer.status).toBe(200)
  })

  it('of a client without the grant type is rejected, so that it can use a browser instead', async () => {
    const { ask, service } = await openDeviceService()
    const answer = await ask(
      {},
      await addTool(service, { grantTypes: undefined, redirectUris: ['https://a.example/'] }),
    )
    expect([answer.status, errorOf(answer)]).toEqual([400, 'unauthorized_client'])
  })

  it('REQ-68: returns a code that introspection describes to no caller, even after the approval', async () => {
    const { service, start, approve } = await openDeviceService()
    const started = await start()
    await approve(started)
    const api = await service.server.clients.add({
      clientName: 'API',
      redirectUris: [],
      resourceServer: true,
    })
    const form = {
      token: started.device_code,
      client_id: api.clientId,
      client_secret: api.clientSecret ?? '',
    }
    expect((await service.send('POST', '/api/oauth/introspect', { form })).body).toBe('{"active":false}')
  })

  it('with a wrong secret is rejected', async () => {
    const { ask, service } = await openDeviceService()
    const client = await addTool(service, { tokenEndpointAuthMethod: 'client_secret_post' })
    const answers = await Promise.all([
      ask({ client_secret: 'wrong' }, client),
      ask({ client_secret: String(client.clientSecret) }, client),
    ])
    expect(answers.map(({ status }) => status)).toEqual([401, 200])
  })

  it('supports every client authentication method of the token endpoint, and is a form', async () => {
    const key = await newKey()
    const features = [clientAssertion()]
    const { service } = await openDeviceService({ server: { features } })
    const path = '/api/oauth/device_authorization'
    const scope = 'courses:read'
    const basic = await addTool(service, { tokenEndpointAuthMethod: 'client_secret_basic' })
    const credentials = Buffer.from(`${basic.clientId}:${basic.clientSecret}`).toString('base64')
    const headers = { authorization: `Basic ${credentials}` }
    expect((await service.send('POST', path, { form: { scope }, headers })).status).toBe(200)
    const metadata = { tokenEndpointAuthMethod: 'private_key_jwt', jwks: { keys: [key.jwk] } }
    const { clientId: client_id } = await addTool(service, metadata)
    const proof = assertionForm(await assertionOf(service, key, client_id))
    for (const status of [200, 401])
      expect((await service.send('POST', path, { form: { scope, ...proof } })).status).toBe(status)
    const json = { client_id: (await addTool(service)).clientId, scope }
    expect((await service.send('POST', path, { json })).status).toBe(415)
    expect((await service.send('GET', path, { query: json })).status).toBe(405)
  })

  it('is accepted with required PAR, because it uses no redirect', async () => {
    const features = [pushedAuthorizationRequests({ required: true })]
    const { start, approve, poll } = await openDeviceService({ server: { features } })
    const started = await start()
    await approve(started)
    expect((await poll(started)).status).toBe(200)
  })

  it('may request the scopes that the operator allows, beyond reading', async () => {
    const { ask } = await openDeviceService({ scopes: ['courses:write'] })
    expect((await ask({ scope: 'courses:write' })).status).toBe(200)
    expect(errorOf(await ask())).toBe('invalid_scope')
  })

  it('without a scope gets the default scope', async () => {
    const { start, enter, shown } = await openDeviceService({ server: { defaultScope: 'courses:read' } })
    await enter((await start({ scope: '' })).user_code)
    expect(shown.device?.scopes.map(({ name }) => name)).toEqual(['courses:read'])
  })

  it('fails if five user codes in a row are in use', async () => {
    let drawn = 0
    const random = (size: number) => {
      if (size === 8) drawn++
      return new Uint8Array(size)
    }
    const { ask } = await openDeviceService({ server: { random } })
    expect((await ask()).status).toBe(200)
    expect(await ask()).toMatchObject({ status: 503, headers: { 'retry-after': '1' } })
    expect(drawn).toBe(1 + 5)
  })
})

describe('a self-registered client', () => {
  const metadata = { grant_types: ['authorization_code', 'refresh_token', DEVICE_CODE_GRANT] }

  it('DV-03: does not get the grant type, and its response does not list it', async () => {
    const { service, ask } = await openDeviceService()
    const client = await register(service, metadata)
    expect(client).toMatchObject({ grant_types: ['authorization_code', 'refresh_token'] })
    expect(bodyOf(await ask({}, client))).toMatchObject({
      error: 'unauthorized_client',
      error_description: expect.stringContaining('ask the operator'),
    })
  })

  it('gets it if the option allows it, for reading only', async () => {
    const { service, ask } = await openDeviceService({
      selfRegistered: true,
      scopes: ['openid', 'courses:read', 'courses:write'],
    })
    const client = await register(service, metadata)
    expect(client).toMatchObject(metadata)
    expect((await ask({}, client)).status).toBe(200)
    expect(errorOf(await ask({ scope: 'courses:write' }, client))).toBe('invalid_scope')
    expect((await ask({ scope: 'courses:write' })).status).toBe(200)
  })

  it('loses it when the option is turned off', async () => {
    const before = await openDeviceService({ selfRegistered: true })
    const client = await register(before.service, metadata)
    const { ask } = await openDeviceService({ server: { store: before.service.store } })
    expect(errorOf(await ask({}, client))).toBe('unauthorized_client')
  })
})

describe('the page for the user code', () => {
  it('DV-04: requires a recent sign-in', async () => {
    const { open, enter, answer, start, shown, service } = await openDeviceService()
    const old = `user=alice@${service.clock.now - 3601}`
    expect([(await open('')).status, service.shown.signIn]).toEqual([303, '/oauth/device'])
    expect((await open(old)).status).toBe(303)
    expect(
      service.shown.signInHint?.maxAge,
      'the sign-in page shows its form, whatever session there is',
    ).toBe(3600)
    expect((await open(`user=alice@${service.clock.now - 3600}`)).status).toBe(200)
    const { user_code } = await start()
    expect([(await enter(user_code, old)).status, service.shown.signIn]).toEqual([303, '/oauth/device'])
    await enter(user_code)
    expect((await answer('allow', old)).status).toBe(303)
    expect(shown.answered).toBeUndefined()
  })

  it('DV-02: requires consent again for scopes that were allowed before', async () => {
    const { start, enter, approve } = await openDeviceService()
    await approve(await start())
    expect((await enter((await start()).user_code)).body).toBe('device')
  })

  it('shows the client, its scopes, the time and the network of the request', async () => {
    const { start, enter, shown, service } = await openDeviceService()
    const { user_code } = await start({ scope: `${SCOPE} offline_access` })
    service.clock.now += 42
    expect((await enter(user_code.toLowerCase().replace('-', ' '))).status).toBe(200)
    expect(shown.device).toMatchObject({
      client: { clientName: 'Command line', origin: 'integration' },
      userCode: user_code,
      age: 42,
      sameNetwork: false,
      scopes: [
        { name: 'openid', required: true, allowedBefore: false },
        { name: 'courses:read', description: 'See courses', required: false },
      ],
    })
    await enter(user_code, 'user=alice', DEVICE)
    expect(shown.device?.sameNetwork).toBe(true)
    const form = { ticket: String(shown.code?.ticket), user_code }
    await service.send('POST', '/oauth/device', { form, headers: { cookie: 'user=alice' } })
    expect(shown.device?.sameNetwork, 'unknown').toBeUndefined()
  })

  it('and a decision are refused once the client is removed', async () => {
    const { start, enter, answer, tool, service } = await openDeviceService()
    const { user_code } = await start()
    await enter(user_code)
    await service.store.clients.remove(tool.clientId)
    const refused = { status: 400, body: 'client_unknown' }
    expect([await answer(), await enter(user_code)]).toMatchObject([refused, refused])
  })

  it('DV-08: is no redirect, whatever was typed or linked', async () => {
    const { open, enter, service } = await openDeviceService({ completeUri: true })
    for (const text of ['https://evil.example', '//evil.example', '\r\nX: y']) {
      expect(await enter(text), text).toMatchObject({ status: 400, body: 'code' })
      await open('', String(new URLSearchParams({ user_code: text, return_to: text })))
      expect(service.shown.signIn, text).toBe('/oauth/device')
    }
  })

  it('repeats no more than 32 characters of what was typed', async () => {
    const { enter, shown } = await openDeviceService()
    await enter('x'.repeat(33))
    expect(shown.code?.typed).toBe('x'.repeat(32))
  })

  it('DV-05: shows the form again for every invalid code, with the same message', async () => {
    const { start, enter, answer, approve, shown, service } = await openDeviceService()
    const [used, denied, late] = [await start(), await start(), await start()]
    await approve(used)
    await enter(denied.user_code)
    await answer('deny')
    delete shown.device
    service.clock.now += 599
    const live = await start()
    service.clock.now += 1
    for (const code of ['WDJB-MJHT', 'x', '', used.user_code, denied.user_code, late.user_code]) {
      const { status, headers, body } = await enter(code)
      expect([status, headers.location, body], code).toEqual([400, undefined, 'code'])
      expect([shown.code, shown.device]).toMatchObject([{ wrong: true, typed: code }, undefined])
    }
    expect(service.events.filter(({ type }) => type === ('user_code_wrong' as string))).toHaveLength(6)
    expect((await enter(live.user_code)).body).toBe('device')
  })

  it('DV-06: rejects a form of another session, of another page or an expired one', async () => {
    const { start, open, enter, answer, shown, service } = await openDeviceService()
    const { user_code } = await start()
    await enter(user_code)
    const { ticket } = shown.device ?? {}
    const send = (form: Record<string, string>, cookie = 'user=alice') =>
      service.send('POST', '/oauth/device', { form, headers: { cookie } })
    const foreign = [
      await send({ ticket: String(ticket), user_code }),
      await send({ ticket: 'x', user_code }),
      await send({ ticket: String(shown.code?.ticket), user_code }, 'user=bob'),
      await answer('allow', 'user=bob'),
    ]
    await open()
    service.clock.now += 600
    foreign.push(await send({ ticket: String(shown.code?.ticket), user_code }))
    for (const { status, headers, body } of foreign)
      expect([status, headers.location, body]).toEqual([400, undefined, 'device_ticket_invalid'])
    expect(shown.answered).toBeUndefined()
  })
})

describe('a decision', () => {
  it('about an unknown request says to start again on the device', async () => {
    const { start, enter, answer, shown } = await openDeviceService()
    await enter((await start()).user_code)
    const view = shown.device && { ...shown.device, action: '/oauth/device/decision?request=unknown' }
    const { status, body } = await answer('allow', 'user=alice', view)
    expect([status, body, shown.answered]).toEqual([400, 'device_request_gone', undefined])
  })

  it('issues tokens to the device, and creates a grant like every other', async () => {
    const { start, poll, approve, shown, service, tool } = await openDeviceService()
    const started = await start({ scope: `${SCOPE} offline_access` })
    expect((await approve(started)).body).toBe('answered')
    expect(shown.answered).toMatchObject({ allowed: true, client: { clientName: 'Command line' } })
    const answer = await poll(started)
    const tokens = bodyOf<TokenAnswer>(answer)
    expect(answer.status).toBe(200)
    expect(tokens).toMatchObject({ scope: SCOPE, expires_in: 3600, token_type: 'Bearer' })
    expect(await service.callApi(tokens.access_token, 'courses:read')).toMatchObject({
      kind: 'authorized',
      token: { subject: 'alice', clientId: tool.clientId },
    })
    const [, claims = ''] = tokens.id_token.split('.')
    expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({
      sub: 'alice',
      auth_time: service.clock.now,
    })
    const { grants } = await service.server.grants.list('alice')
    expect(grants).toMatchObject([
      { origin: 'device', network: '203.0.113.0/24', redirectUri: undefined, clientId: tool.clientId },
    ])
    expect((await refresh(service, tool, tokens.refresh_token)).status).toBe(200)
    const [grantId, requestId] = [grants[0]?.id, expect.stringMatching(/^[\w-]{22}$/)]
    const { clientId } = tool
    expect(service.events.filter(({ type }) => type.startsWith('device'))).toEqual([
      { type: 'device_requested', requestId, clientId },
      {
        ...{ type: 'device_approved', requestId, grantId, clientId, subject: 'alice' },
        ...{ scopes: SCOPE.split(' '), resources: [] },
      },
      { type: 'device_code_redeemed', grantId, clientId },
    ])
  })

  it('grants only the ticked scopes', async () => {
    const { start, enter, answer, poll, service } = await openDeviceService()
    const started = await start({ scope: 'openid profile courses:read' })
    await enter(started.user_code)
    await answer('allow', 'user=alice', undefined, ['courses:read', 'courses:write'])
    expect(bodyOf(await poll(started))).toMatchObject({ scope: 'openid courses:read' })
    const [grant] = (await service.store.grants.list({ subject: 'alice' }, { limit: 1 })).grants
    expect(grant?.withheldScopes).toEqual(['profile'])
  })

  it('about every scope, by a sign-in without a class, stores no empty member', async () => {
    const { start, approve, service } = await openDeviceService()
    await approve(await start())
    const [grant] = (await service.store.grants.list({ subject: 'alice' }, { limit: 1 })).grants
    for (const member of ['withheldScopes', 'acr', 'amr']) expect(grant).not.toHaveProperty(member)
  })

  it('DV-06: with the ticket of another request is rejected', async () => {
    const { start, enter, answer, shown } = await openDeviceService()
    await enter((await start()).user_code)
    const ticket = String(shown.device?.ticket)
    await enter((await start()).user_code)
    const view = shown.device && { ...shown.device, ticket }
    expect((await answer('allow', 'user=alice', view)).body).toBe('device_ticket_invalid')
    expect(shown.answered).toBeUndefined()
  })

  it('DV-06: with a valid ticket is rejected from another site, as is the form for the code', async () => {
    const { start, enter, answer, shown } = await openDeviceService()
    const started = await start()
    const foreign = { origin: 'https://evil.example' }
    expect((await enter(started.user_code, 'user=alice', '192.0.2.1', foreign)).status).toBe(403)
    await enter(started.user_code)
    const forged = await answer('allow', 'user=alice', shown.device, undefined, foreign)
    expect([forged.status, forged.body]).toEqual([403, 'form_of_another_site'])
    expect((await answer()).status).toBe(200)
  })

  it('that allows nothing decides nothing', async () => {
    const { start, enter, answer, poll, shown, service } = await openDeviceService()
    const started = await start({ scope: 'courses:read' })
    await enter(started.user_code)
    const missing = { status: 400, body: 'user_decision_missing' }
    expect(await answer('allow', 'user=alice', shown.device, [])).toMatchObject(missing)
    expect(errorOf(await poll(started))).toBe('authorization_pending')
    expect(service.events).not.toContainEqual(expect.objectContaining({ type: 'device_denied' }))
    expect((await answer()).body).toBe('answered')
  })

  it('that denies ends the request', async () => {
    const { start, enter, answer, poll, shown, service, tool } = await openDeviceService()
    const started = await start()
    await enter(started.user_code)
    expect((await answer('deny')).body).toBe('answered')
    expect(shown.answered?.allowed).toBe(false)
    const denied = await poll(started)
    expect([denied.status, errorOf(denied)]).toEqual([400, 'access_denied'])
    expect(service.events).toContainEqual({
      ...{ type: 'device_denied', subject: 'alice', clientId: tool.clientId },
      requestId: expect.stringMatching(/^[\w-]{22}$/),
    })
    expect((await service.server.grants.list('alice')).grants).toEqual([])
  })

  it.each([
    ['allow', 'deny'],
    ['deny', 'allow'],
  ])('stays: after %s, %s is refused', async (first, second) => {
    const { start, enter, answer, poll, shown } = await openDeviceService()
    const started = await start()
    await enter(started.user_code)
    const view = shown.device
    await answer(first)
    const { status, body } = await answer(second, 'user=alice', view)
    expect([status, body]).toEqual([400, 'device_request_answered'])
    expect((await poll(started)).status).toBe(first === 'allow' ? 200 : 400)
  })

  it.each([
    ['allow', 'device_approved'],
    ['deny', 'device_denied'],
  ])('counts once if the form is sent twice: %s', async (decision, type) => {
    const { start, enter, answer, service } = await openDeviceService()
    await enter((await start()).user_code)
    expect(await Promise.all([answer(decision), answer(decision)])).toMatchObject([
      { body: 'answered' },
      { body: 'answered' },
    ])
    expect(service.events.filter((event) => event.type === type)).toHaveLength(1)
  })

  it('is the first of fifty that come at once, and the others are refused', async () => {
    const { start, enter, answer, service } = await openDeviceService()
    await enter((await start()).user_code)
    const decisions = Array.from({ length: 50 }, (_, index) => (index % 2 === 0 ? 'allow' : 'deny'))
    const answers = await Promise.all(decisions.map((decision) => answer(decision)))
    const counted = decisions.filter((_, index) => answers[index]?.body === 'answered')
    expect(new Set(counted).size).toBe(1)
    expect(new Set(answers.map(({ body }) => body))).toEqual(new Set(['answered', 'device_request_answered']))
    const logged = service.events.filter(({ type }) => /^device_(approved|denied)$/.test(type))
    expect(logged).toHaveLength(1)
  })

  // So many bytes draw a user code.
  const sameCode = (size: number) => (size === 8 ? new Uint8Array(size) : randomBytes(size))

  it.each<[string, string, (opened: Opened) => Promise<unknown>]>([
    ['another decision', 'device_request_answered', ({ answer }) => answer('deny')],
    ['the end of its record', 'device_request_gone', async ({ service }) => (service.clock.now += 900)],
    [
      'another request with its code',
      'device_request_gone',
      async ({ service, start, enter }) => {
        service.clock.now += 900
        expect((await enter((await start()).user_code)).body).toBe('device')
      },
    ],
  ])('is refused if %s comes before its write: %s', async (_, reason, happens) => {
    const opened = await openDeviceService({ server: { random: sameCode } })
    const { start, enter, answer, service } = opened
    await enter((await start()).user_code)
    const transients = transientsOf(opened)
    const { replace } = transients
    transients.replace = async (...input) => {
      transients.replace = replace
      await happens(opened)
      return replace(...input)
    }
    const { status, body } = await answer()
    expect([status, body]).toEqual([400, reason])
    expect((await service.server.grants.list('alice')).grants).toEqual([])
  })

  it('is for one request only, even if its user code is reused', async () => {
    const server = { random: sameCode }
    const { start, enter, answer, poll, shown, service } = await openDeviceService({ server })
    const first = await start()
    await enter(first.user_code)
    const before = shown.device
    service.clock.now += 900
    const again = await start()
    expect(again.user_code).toBe(first.user_code)
    expect((await answer('allow', 'user=alice', before)).status).toBe(400)
    await enter(again.user_code)
    await answer()
    expect(errorOf(await poll(first))).toBe('invalid_grant')
    expect((await poll(again)).status).toBe(200)
  })

  it('creates a grant that expires, however often it is refreshed', async () => {
    const { start, approve, poll, service, tool } = await openDeviceService({ grantLifetime: 7200 })
    const started = await start()
    await approve(started)
    const first = bodyOf<TokenAnswer>(await poll(started))
    service.clock.now += 5400
    const next = bodyOf<TokenAnswer>(await refresh(service, tool, first.refresh_token))
    expect(next.expires_in, 'no token outlives it').toBe(1800)
    service.clock.now += 1800
    expect(errorOf(await refresh(service, tool, next.refresh_token))).toBe('invalid_grant')
    expect((await service.server.grants.list('alice')).grants).toEqual([])
  })

  it('may create a grant that lives longer than the grants of other grant types', async () => {
    const { start, approve, poll } = await openDeviceService({ grantLifetime: 10 * 365 * 86_400 })
    const started = await start()
    await approve(started)
    expect((await poll(started)).status).toBe(200)
  })

  it('after the user has disconnected the device restores nothing', async () => {
    const { start, enter, answer, poll, service } = await openDeviceService()
    const started = await start()
    await enter(started.user_code)
    await answer()
    const [grant] = (await service.server.grants.list('alice')).grants
    await service.server.grants.revoke('alice', String(grant?.id))
    await answer()
    expect((await service.server.grants.list('alice')).grants).toEqual([])
    expect(errorOf(await poll(started))).toBe('invalid_grant')
  })

  it('whose second write was lost is completed by the same form', async () => {
    const { start, enter, answer, poll, service } = await openDeviceService()
    const started = await start()
    await enter(started.user_code)
    const { grants } = service.store
    const insert = grants.insert
    grants.insert = () => Promise.reject(new Error('The store is down'))
    expect((await answer()).status).toBe(503)
    grants.insert = insert
    expect(errorOf(await poll(started))).toBe('authorization_pending')
    expect((await answer()).body).toBe('answered')
    expect((await poll(started)).status).toBe(200)
  })

  it('that loses every race for its request is a 503 to try again, and the request stays open', async () => {
    const opened = await openDeviceService()
    const { start, enter, answer, service } = opened
    await enter((await start()).user_code)
    const transients = transientsOf(opened)
    const { replace } = transients
    let lost = 0
    transients.replace = async () => ++lost === 0
    expect((await answer()).status).toBe(503)
    expect(service.events.at(-1)).toMatchObject({ type: 'failed', reason: 'contention' })
    expect(lost).toBe(16)
    transients.replace = replace
    expect((await answer()).body).toBe('answered')
  })

  it('gives each device refresh tokens of a family of its own', async () => {
    const { start, approve, poll } = await openDeviceService()
    const family = async () => {
      const started = await start()
      await approve(started)
      return bodyOf<TokenAnswer>(await poll(started)).refresh_token.split('.')[1]
    }
    expect(await family()).not.toBe(await family())
  })

  it('is too late after ten minutes', async () => {
    const { start, enter, answer, shown, service } = await openDeviceService()
    await enter((await start()).user_code)
    service.clock.now += 600
    expect((await answer('allow', 'user=alice', shown.device)).body).toBe('device_ticket_invalid')
  })
})

describe('a poll', () => {
  it('that reads while the user approves gets the tokens', async () => {
    const opened = await openDeviceService()
    const started = await opened.start()
    const transients = transientsOf(opened)
    const { find } = transients
    transients.find = async (id) => {
      transients.find = find
      await opened.approve(started)
      return find(id)
    }
    expect((await opened.poll(started)).status).toBe(200)
  })

  it('that comes fifty times at once gets one pair of tokens', async () => {
    const { start, approve, poll, service } = await openDeviceService()
    const started = await start()
    await approve(started)
    const answers = await Promise.all(Array.from({ length: 50 }, () => poll(started)))
    expect(new Set(answers.map(({ status, body }) => `${status} ${body}`)).size).toBe(1)
    expect(answers[0]?.status).toBe(200)
    expect(service.events.filter(({ type }) => /^device_code_redeemed$/.test(type))).toHaveLength(1)
  })

  it('gets the scopes that its client still has, and loses no code while it has none of them', async () => {
    const { service, tool, start, approve, poll } = await openDeviceService()
    const { clients } = service.server
    const update = async (scopes: string[]) => {
      const seen = await clients.find(tool.clientId)
      if (seen === undefined) throw new Error('The client is gone')
      await clients.update(tool.clientId, { scopes }, { seen })
    }
    const started = await start()
    await approve(started)
    await update(['courses:write'])
    expect(bodyOf(await poll(started)).error).toBe('invalid_scope')
    await update(['courses:read'])
    expect(bodyOf(await poll(started)).scope).toBe('courses:read')
    expect(bodyOf(await poll(started)).scope).toBe('courses:read')
    expect((await service.server.grants.list('alice')).grants[0]?.scopes).toEqual(['courses:read'])
  })

  it('leaves its device code valid when no key can sign', async () => {
    const { service, start, approve, poll } = await openDeviceService()
    const tool = await addTool(service, { idTokenSignedResponseAlg: 'ES256' })
    const started = await start({}, tool)
    await approve(started)
    const { store, clock, keys } = service
    const server = { store, now: () => clock.now, keys: keys.slice(0, 1) }
    const withoutKey = await openDeviceService({ server })
    const form = { client_id: tool.clientId }
    expect((await withoutKey.poll(started, form)).status).toBe(503)
    expect((await poll(started, form)).status).toBe(200)
    expect(service.events.at(-1)).toMatchObject({ type: 'device_code_redeemed' })
  })

  it('before the decision writes nothing, and is no failure', async () => {
    const { start, poll, service } = await openDeviceService()
    const started = await start()
    const written: string[] = []
    for (const records of [service.store.grants, service.store.clients, service.store.transients])
      for (const verb of ['insert', 'replace', 'remove'] as const) {
        const write = records?.[verb] as (...input: unknown[]) => Promise<boolean>
        Object.assign(records ?? {}, {
          [verb]: (...input: unknown[]) => {
            written.push(verb)
            return write(...input)
          },
        })
      }
    const before = service.events.length
    expect([(await poll(started)).status, errorOf(await poll(started))]).toEqual([
      400,
      'authorization_pending',
    ])
    expect([written, service.events.slice(before)]).toEqual([[], []])
  })

  it('never gets slow_down without a rate limiter', async () => {
    const { start, poll } = await openDeviceService()
    const started = await start()
    const errors = await Promise.all(Array.from({ length: 50 }, async () => errorOf(await poll(started))))
    expect(new Set(errors)).toEqual(new Set(['authorization_pending']))
  })

  it('after the expiry gets expired_token for five minutes', async () => {
    const { start, poll, service } = await openDeviceService()
    const started = await start()
    service.clock.now += 600
    expect(errorOf(await poll(started))).toBe('expired_token')
    service.clock.now += 300
    expect(errorOf(await poll(started))).toBe('invalid_grant')
  })

  it('after the expiry of a code that was approved and not redeemed gets expired_token, too', async () => {
    const { start, poll, approve, service } = await openDeviceService()
    const started = await start()
    await approve(started)
    service.clock.now += 600
    expect(errorOf(await poll(started))).toBe('expired_token')
    // A minute longer than the request, for replicas whose clocks differ: its grant id stays taken.
    service.clock.now += 359
    expect(errorOf(await poll(started))).toBe('expired_token')
    service.clock.now += 1
    expect(errorOf(await poll(started))).toBe('invalid_grant')
  })

  it('after the expiry of a code that was denied gets access_denied', async () => {
    const { start, poll, enter, answer, service } = await openDeviceService()
    const started = await start()
    await enter(started.user_code)
    await answer('deny')
    service.clock.now += 600
    expect(errorOf(await poll(started))).toBe('access_denied')
  })

  it('DV-07: of another client learns nothing about the request, and changes nothing', async () => {
    const { start, poll, approve, enter, answer, service } = await openDeviceService()
    const { clientId: client_id } = await addTool(service)
    const [pending, approved, denied] = [await start(), await start(), await start()]
    await approve(approved)
    await enter(denied.user_code)
    await answer('deny')
    const unknown = `gkd_${'A'.repeat(22)}.${'A'.repeat(22)}.${'A'.repeat(43)}`
    const answers = [pending, approved, denied, { device_code: unknown }, { device_code: 'x' }].map(
      (started) => poll(started, { client_id }),
    )
    const texts = new Set((await Promise.all(answers)).map(({ status, body }) => `${status} ${body}`))
    expect([...texts]).toEqual([
      '400 {"error":"invalid_grant","error_description":"The device code is not valid. Begin again"}',
    ])
    expect((await poll(approved)).status).toBe(200)
  })

  it.each(['grant id', 'request id', 'secret'])('with another %s is rejected', async (part) => {
    const { start, poll, approve } = await openDeviceService()
    const [one, other] = [await start(), await start()]
    await approve(one)
    const at = ['grant id', 'request id', 'secret'].indexOf(part)
    const mixed = one.device_code.slice(4).split('.')
    mixed[at] = other.device_code.slice(4).split('.')[at] ?? ''
    expect(errorOf(await poll({ device_code: `gkd_${mixed.join('.')}` }))).toBe('invalid_grant')
  })

  /** Its request was approved, and the response to its poll was lost. */
  async function withLostAnswer(metadata?: object, server = {}) {
    const opened = await openDeviceService({ server })
    const client = metadata === undefined ? opened.tool : await addTool(opened.service, metadata)
    const secret = client.clientSecret
    const credentials = { client_id: client.clientId, ...(secret && { client_secret: secret }) }
    const started = await opened.start(credentials, client)
    await opened.approve(started)
    const poll = () => opened.poll(started, credentials)
    return { ...opened, client, poll, first: bodyOf<TokenAnswer>(await poll()) }
  }

  it.each([
    [59, 'in window'],
    [60, 'late'],
    [899, 'late'],
  ])('whose answer was lost gets the same tokens after %d s, %s', async (later, retried) => {
    const { poll, first, service } = await withLostAnswer()
    service.clock.now += later
    const { access_token, refresh_token } = first
    expect(bodyOf(await poll())).toMatchObject({ access_token, refresh_token, expires_in: 3600 - later })
    expect(service.events.at(-1)).toMatchObject({ type: 'device_code_retried', retried })
  })

  it('whose response was repeated late may have leaked its refresh token: only one holder can continue', async () => {
    const { poll, first, service, client } = await withLostAnswer()
    service.clock.now += 600
    await poll()
    expect((await refresh(service, client, first.refresh_token)).status).toBe(200)
    service.clock.now += 60
    expect(errorOf(await refresh(service, client, first.refresh_token))).toBe('invalid_grant')
    expect(service.events.at(-2)).toMatchObject({ type: 'grant_ended', reason: 'refresh_token_reused' })
  })

  it.each([
    ['fifteen minutes', {}, undefined, 900],
    ['the window, once its refresh token was rotated', {}, undefined, 60],
    [
      'the window, once its refresh token was used by a client that keeps it',
      { refreshTokenRotation: 'public-clients' },
      { tokenEndpointAuthMethod: 'client_secret_post' },
      60,
    ],
  ])('that is repeated after %s counts as stolen', async (_, server, metadata, later) => {
    const { poll, first, service, client } = await withLostAnswer(metadata, server)
    service.clock.now += 1
    if (later < 900) expect((await refresh(service, client, first.refresh_token)).status).toBe(200)
    service.clock.now += later - 1
    expect(errorOf(await poll())).toBe('invalid_grant')
    expect(errorOf(await refresh(service, client, first.refresh_token))).toBe('invalid_grant')
    expect(service.events).toContainEqual(
      expect.objectContaining({ type: 'grant_ended', reason: 'device_code_replayed' }),
    )
  })

  it('without the refresh token grant type gets no refresh token', async () => {
    const { start, poll, approve, service } = await openDeviceService()
    const client = await addTool(service, { grantTypes: [DEVICE_CODE_GRANT] })
    const started = await start({}, client)
    await approve(started)
    for (const _ of ['first', 'again'])
      expect(bodyOf(await poll(started, { client_id: client.clientId }))).not.toHaveProperty('refresh_token')
  })

  it('narrows the resource before anything is consumed, and a retry must request the same', async () => {
    const { start, poll, approve } = await openDeviceService()
    const started = await start({ resource: ISSUER })
    await approve(started)
    expect(errorOf(await poll(started, { resource: `${ISSUER}/mcp` }))).toBe('invalid_target')
    expect((await poll(started, { resource: ISSUER })).status).toBe(200)
  })

  it('repeated within a minute for another resource is rejected, and revokes nothing', async () => {
    const { start, poll, approve } = await openDeviceService()
    const started = await start()
    await approve(started)
    await poll(started, { resource: ISSUER })
    expect(errorOf(await poll(started, { resource: `${ISSUER}/mcp` }))).toBe('invalid_grant')
    expect((await poll(started, { resource: ISSUER })).status).toBe(200)
  })

  it('needs the verifier if the request had a challenge', async () => {
    const { start, poll, approve } = await openDeviceService()
    const challenge = { code_challenge: CHALLENGE, code_challenge_method: 'S256' }
    const [proven, stolen] = [await start(challenge), await start(challenge)]
    await approve(proven)
    await approve(stolen)
    expect(errorOf(await poll(proven))).toBe('invalid_grant')
    expect((await poll(proven, { code_verifier: VERIFIER })).status).toBe(200)
    expect(errorOf(await poll(stolen, { code_verifier: 'x'.repeat(43) }))).toBe('invalid_grant')
    expect(errorOf(await poll(stolen, { code_verifier: VERIFIER }))).toBe('invalid_grant')
  })

  it('is no authorization code, and an authorization code is no device code', async () => {
    const { start, approve, poll, service, tool } = await openDeviceService()
    const started = await start()
    await approve(started)
    const [grantId, , secret] = started.device_code.slice(4).split('.')
    const code = `gkc_${grantId}.${secret}`
    const form = { client_id: tool.clientId, grant_type: 'authorization_code', code }
    expect(errorOf(await requestToken(service, form))).toBe('unauthorized_client')
    expect((await poll(started)).status).toBe(200)
  })
})

/** Allows so many events of each key, by the name of the limit. */
function limitsOf(points: Partial<Record<string, number>>) {
  const counted = new Map<string, number>()
  const change = async (limit: string, key: string, by: number) => {
    const count = (counted.get(`${limit} ${key}`) ?? 0) + by
    counted.set(`${limit} ${key}`, count)
    return count > (points[limit] ?? Number.POSITIVE_INFINITY) ? 30 : 0
  }
  const take: RateLimiter['take'] = (limit, key) => change(limit, key, 1)
  const refund: RateLimiter['refund'] = async (limit, key) => void (await change(limit, key, -1))
  return { counted, take, refund }
}

describe('limits', () => {
  it('DV-11: slow down a device that polls too often, with the new interval, and never after the decision', async () => {
    const rateLimiter = limitsOf({ device_poll: 2, client_failure: 1 })
    const { start, poll, approve } = await openDeviceService({ server: { rateLimiter } })
    const started = await start()
    const errors = [await poll(started), await poll(started), await poll(started)].map((answer) =>
      bodyOf(answer),
    )
    expect(errors.map(({ error }) => error)).toEqual([
      'authorization_pending',
      'authorization_pending',
      'slow_down',
    ])
    expect(errors[2]).toMatchObject({ interval: 10 })
    await approve(started)
    expect((await poll(started)).status).toBe(200)
    expect([...rateLimiter.counted.keys()].filter((key) => key.startsWith('client_failure'))).toEqual([])
  })

  it('DV-11, DV-12: are thirty requests of a network in ten minutes, and eighteen polls of a device in one', async () => {
    const { service } = await openDeviceService()
    expect(service.server.description.rateLimits).toMatchObject({
      device_request: { points: 30, seconds: 600 },
      device_poll: { points: 18, seconds: 60 },
    })
  })

  it('DV-12: count device authorization requests by network, without rejected ones', async () => {
    const rateLimiter = limitsOf({ device_request: 1 })
    const { ask } = await openDeviceService({ server: { rateLimiter } })
    await ask({ scope: 'nope' })
    expect((await ask()).status).toBe(200)
    expect(await ask()).toMatchObject({ status: 429, headers: { 'retry-after': '30' } })
    expect(rateLimiter.counted.get(`device_request ${DEVICE}`)).toBe(2)
  })

  it('DV-10: count wrong user codes by user and network, and then reject even a right one', async () => {
    const rateLimiter = limitsOf({ user_code: 3 })
    const { start, enter } = await openDeviceService({ server: { rateLimiter } })
    const { user_code } = await start()
    for (const code of ['WDJB-MJHT', user_code, 'x', 'y']) await enter(code)
    expect(rateLimiter.counted.get(`user_code_network ${BROWSER}`)).toBe(3)
    for (const code of [user_code, 'WDJB-MJHT']) {
      const { status, headers, body } = await enter(code)
      expect([status, headers['retry-after'], body]).toEqual([429, '30', 'too_many_user_codes'])
    }
    expect((await enter(user_code, 'user=bob')).body).toBe('device')
    // A user over the limit does not use up the limit of the network.
    expect(rateLimiter.counted.get(`user_code_network ${BROWSER}`)).toBe(3)
  })

  it('DV-10: count attempts at user codes even without a limiter: ten per user and fifty per network in ten minutes', async () => {
    const { start, enter, service } = await openDeviceService()
    const { user_code } = await start()
    for (let n = 0; n < 10; n++) expect((await enter('x')).status).toBe(400)
    expect(await enter(user_code)).toMatchObject({ status: 429, headers: { 'retry-after': '600' } })
    for (let n = 0; n < 40; n++) expect((await enter('x', `user=u${n}`)).status).toBe(400)
    expect((await enter(user_code, 'user=bob')).status).toBe(429)
    expect((await enter(user_code, 'user=bob', DEVICE)).status).toBe(200)
    service.clock.now += 600
    expect((await enter((await start()).user_code)).status).toBe(200)
  })

  it('count a /48 of IPv6 too, for device authorization requests and for user codes', async () => {
    const rateLimiter = limitsOf({})
    const { ask, start, enter } = await openDeviceService({ server: { rateLimiter } })
    const { user_code } = await start()
    await ask({}, undefined, '2001:db8:1:23f::9')
    await enter('x', 'user=bob', '2001:db8:1:23f::9')
    await enter(user_code, 'user=bob', '2001:db8:1:23f::9')
    const counted = [...rateLimiter.counted].filter(([key]) => key.includes(':'))
    expect(counted).toEqual([
      ['device_request 2001:db8:1:23f::/64', 1],
      ['device_request_56 2001:db8:1:200::/56', 1],
      ['device_request_48 2001:db8:1::/48', 1],
      ['user_code_network 2001:db8:1:23f::/64', 1],
      ['user_code_network_56 2001:db8:1:200::/56', 1],
      ['user_code_network_48 2001:db8:1::/48', 1],
    ])
  })

  it('count a network across all its users', async () => {
    const { start, enter } = await openDeviceService({
      server: { rateLimiter: limitsOf({ user_code_network: 1 }) },
    })
    const { user_code } = await start()
    expect((await enter('x', 'user=bob')).status).toBe(400)
    expect((await enter(user_code)).status).toBe(429)
    expect((await enter(user_code, 'user=alice', DEVICE)).status).toBe(200)
  })
})

describe('the stored request', () => {
  it('DV-13: contains no code, and no hash from which the user code can be guessed', async () => {
    const written: string[] = []
    const { start, poll, approve, service } = await openDeviceService()
    for (const records of [service.store.grants, service.store.transients])
      for (const verb of ['insert', 'replace'] as const) {
        const write = records?.[verb] as (...input: unknown[]) => Promise<boolean>
        Object.assign(records ?? {}, {
          [verb]: (...input: unknown[]) => {
            written.push(JSON.stringify(input))
            return write(...input)
          },
        })
      }
    const started = await start()
    await approve(started)
    const tokens = bodyOf<TokenAnswer>(await poll(started))
    const secrets = [started.device_code, tokens.access_token, tokens.refresh_token].map((text) =>
      text.split('.').at(-1),
    )
    expect(written.length).toBeGreaterThan(3)
    for (const secret of [...secrets, started.user_code, started.user_code.replace('-', '')])
      expect(written.join('\n')).not.toContain(secret)
  })

  it('DV-09: has an id that depends on the secret of the server, and no event contains a code', async () => {
    const { start, enter, approve, poll, service } = await openDeviceService()
    const started: Started = await start()
    await enter('WDJB-MJHT')
    await approve(started)
    await poll(started)
    const logged = JSON.stringify(service.events)
    for (const secret of [started.user_code, started.user_code.replace('-', ''), started.device_code, 'WDJB'])
      expect(logged).not.toContain(secret)
  })
})

describe('a server', () => {
  it('with the device grant names it and its endpoint in the metadata', async () => {
    const { service } = await openDeviceService()
    expect(service.server.metadata).toMatchObject({
      device_authorization_endpoint: `${ISSUER}/api/oauth/device_authorization`,
      grant_types_supported: ['authorization_code', 'refresh_token', DEVICE_CODE_GRANT],
    })
    expect(Object.keys(service.server.description.errors)).toEqual(
      expect.arrayContaining([
        ...['device_scope_refused', 'device_request_gone', 'device_ticket_invalid'],
        ...['device_code_unknown', 'device_denied', 'too_many_user_codes'],
      ]),
    )
  })

  it('without it has neither', () => {
    const { metadata, routes } = openService().server
    expect(metadata).not.toHaveProperty('device_authorization_endpoint')
    expect(metadata.grant_types_supported).toEqual(['authorization_code', 'refresh_token'])
    expect(routes.map(({ path }) => path).filter((path) => path.includes('device'))).toEqual([])
  })

  it.each([
    [{ codeLifetime: 59 }, 'device: codeLifetime must be a whole number of seconds from 60 to 1800'],
    [{ codeLifetime: 1801 }, 'device: codeLifetime must be a whole number of seconds from 60 to 1800'],
    [{ grantLifetime: 0 }, 'lifetimes.deviceGrant must be a whole number of seconds, at least 1'],
    [{ maxAge: 60.5 }, 'device: maxAge must be a whole number of seconds, at least 60'],
    [{ maxAge: 59 }, 'device: maxAge must be a whole number of seconds, at least 60'],
    [{ scopes: ['nope'] }, 'device: scopes names a scope that is not in the catalogue'],
    [
      { paths: { deviceAuthorization: 'x' } },
      'paths.deviceAuthorization must begin with a slash, without query: x',
    ],
    [{ paths: { device: 'device' } }, 'paths.device must begin with a slash, without query: device'],
  ])('is not created with %j', async (options, message) => {
    await expect(openDeviceService(options)).rejects.toThrow(message)
  })

  it('is created with the shortest age of a sign-in and the longest life of a code', async () => {
    const { start } = await openDeviceService({ maxAge: 60, codeLifetime: 1800 })
    expect((await start()).expires_in).toBe(1800)
  })

  it('is not created on a store without transients', async () => {
    const { clients, grants } = openService().store
    await expect(openDeviceService({ server: { store: { clients, grants } } })).rejects.toThrow(
      'device: the store has no transients',
    )
  })
})

describe('an integration', () => {
  it('with only the device grant needs no redirect URI, and one with the authorization code grant needs it', async () => {
    const { service } = await openDeviceService()
    expect(await addTool(service)).toMatchObject({
      redirectUris: [],
      grantTypes: ['refresh_token', DEVICE_CODE_GRANT],
    })
    await expect(addTool(service, { grantTypes: ['authorization_code'] })).rejects.toThrow(
      'redirectUris must not be empty',
    )
    await expect(addTool(service, { grantTypes: ['refresh_token', 'nope'] })).rejects.toThrow(
      'grantTypes: must name a grant type of this server',
    )
  })
})
