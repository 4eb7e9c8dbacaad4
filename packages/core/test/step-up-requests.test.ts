import { createResourceServer } from '@grantkit/core'
import { pushedAuthorizationRequests } from '@grantkit/core/par'
import { describe, expect, it } from 'vitest'
import { authorizationQuery, authorize, bodyOf, credentials, redirectOf, type TokenAnswer } from './client.ts'
import { openDeviceService } from './device-service.ts'
import { ID, openWithDocuments } from './document-host.ts'
import { ISSUER, SCOPES } from './service.ts'
import { CLASSES, called, openStepUp, requestWith } from './step-up-service.ts'

/** Other ways by which a class of sign-in is asked for: pushed requests (RFC 9126), devices (RFC 8628). */

describe('a pushed request', () => {
  async function push(acr_values: string) {
    const open = await openStepUp({ server: { features: [pushedAuthorizationRequests()] } })
    const { service, client, query } = open
    const form = { ...Object.fromEntries(new URLSearchParams(query({ acr_values }))), ...credentials(client) }
    return { ...open, pushed: await service.send('POST', '/api/oauth/par', { form }) }
  }

  it('demands a class that nobody can remove from the address of the browser', async () => {
    const { service, client, pushed, signedIn } = await push('phr')
    const { request_uri } = bodyOf<{ request_uri: string }>(pushed)
    const query = String(new URLSearchParams({ client_id: client.clientId, request_uri, acr_values: 'pwd' }))
    const browser = { cookie: signedIn('pwd') }
    const arrived = String((await authorize(service, query, browser)).headers.location)
    const [, marked = ''] = arrived.split('?')
    expect((await authorize(service, marked, browser)).headers.location).toBe('/login')
    expect(service.shown.signInHint).toMatchObject({ acrValues: ['phr'] })
  })

  it('that names only unknown classes fails at the push', async () => {
    const { pushed } = await push('urn:other')
    expect([pushed.status, bodyOf(pushed)]).toMatchObject([
      400,
      { error: 'unmet_authentication_requirements' },
    ])
  })
})

describe('the request of a device', () => {
  async function started(acr_values: string, required = true) {
    const open = await openDeviceService({ server: { stepUp: { classes: CLASSES, required } } })
    const { clock } = open.service
    const device = await open.start({ acr_values })
    const guard = createResourceServer({
      ...{ resource: ISSUER, store: open.service.store, scopes: SCOPES, now: () => clock.now },
      authenticationClasses: CLASSES,
    })
    const browser = (acr: string, at = clock.now) => `user=alice@${at}/${acr}/hwk`
    return { ...open, device, guard, browser, clock }
  }

  it.each([
    ['from before', -10],
    ['that began after the request', 0],
  ])(
    'sends a user with a weaker session %s to sign in again, back to the page for the code',
    async (_, age) => {
      const { service, enter, device, browser, clock } = await started('phr')
      const answer = await enter(device.user_code, browser('pwd', clock.now + age))
      expect([answer.status, answer.headers.location]).toEqual([303, '/login'])
      expect(service.shown.signIn).toMatch(
        new RegExp(String.raw`^/oauth/device\?user_code=${device.user_code}&weak=[\w-]{22}$`),
      )
      expect(service.shown.signInHint).toMatchObject({ acrValues: ['phr'] })
    },
  )

  it('goes on after a stronger sign-in, also from before, and its tokens tell it', async () => {
    const { enter, answer, poll, device, guard, browser, clock, service } = await started('mfa')
    for (const age of [10, 0])
      expect((await enter(device.user_code, browser('phr', clock.now - age))).body).toBe('device')
    await answer('allow', browser('phr'))
    const { access_token } = bodyOf<TokenAnswer>(await poll(device))
    const api = guard.requiring({ acr: 'phr', maxAge: 60 })
    expect((await called(api.access(requestWith(access_token), 'courses:read'))).status).toBe(200)
    const { grants } = await service.store.grants.list({ subject: 'alice' }, { limit: 1 })
    expect(grants).toMatchObject([{ acr: 'phr', amr: ['hwk'] }])
  })

  it('ends with an error page if the user comes back from that sign-in and is too weak again', async () => {
    const { service, enter, enterAgain, device, browser, clock } = await started('phr')
    const before = browser('pwd', clock.now - 10)
    await enter(device.user_code, before)
    expect((await enterAgain(device.user_code, before)).headers.location, 'with the same session').toBe(
      '/login',
    )
    const answer = await enterAgain(device.user_code, browser('pwd'))
    expect([answer.status, answer.body]).toEqual([400, 'acr_values_unmet'])
    expect(service.shown.error).toMatchObject({ error: 'unmet_authentication_requirements' })
  })

  it('goes on then with required: false', async () => {
    const { enter, enterAgain, device, browser, clock } = await started('phr', false)
    expect((await enter(device.user_code, browser('pwd', clock.now - 10))).headers.location).toBe('/login')
    expect((await enterAgain(device.user_code, browser('pwd'))).body).toBe('device')
  })

  it('with unknown classes alone fails at once', async () => {
    const { ask } = await started('mfa')
    expect(bodyOf(await ask({ acr_values: 'urn:other' }))).toMatchObject({
      error: 'unmet_authentication_requirements',
    })
  })

  it('to a server without classes may have anything as acr_values', async () => {
    const { start, enter } = await openDeviceService()
    const { user_code } = await start({ acr_values: 'x'.repeat(9000) })
    expect((await enter(user_code)).body).toBe('device')
  })
})

describe('the request of a client whose document is not fetched yet', () => {
  const open = (required: boolean) => openWithDocuments({ stepUp: { classes: CLASSES, required } }).service
  const query = (acr_values: string) => authorizationQuery(ID, { acr_values })

  it.each([
    [true, 'phr urn:other mfa', ['phr', 'mfa']],
    [true, 'urn:other', undefined],
    [true, '', undefined],
    [false, 'urn:other', undefined],
  ])(
    'names the classes to the user who must sign in first: required %j, %j',
    async (required, sent, acrValues) => {
      const service = open(required)
      expect((await authorize(service, query(sent), {})).headers.location).toBe('/login')
      expect(service.shown.signInHint).toMatchObject({ clientHost: 'editor.dev' })
      expect(service.shown.signInHint?.acrValues).toEqual(acrValues)
    },
  )

  it.each([
    ['unknown classes', query('urn:other'), 'unmet_authentication_requirements'],
    ['a repeated acr_values', `${query('mfa')}&acr_values=phr`, 'invalid_request'],
  ])('with %s fails after the sign-in, by a redirect to the client', async (_, sent, error) => {
    const service = open(true)
    await authorize(service, sent, {})
    expect(service.shown.signInHint?.acrValues).toBeUndefined()
    const [, back = ''] = String(service.shown.signIn).split('?')
    expect(redirectOf(await authorize(service, back)).error).toBe(error)
  })
})

it('a request for a user who is known by id_token_hint demands the class too', async () => {
  const { tokens, ask, signedIn } = await openStepUp()
  const { id_token } = await tokens(signedIn('pwd'))
  const hinted = await ask(signedIn('pwd'), { id_token_hint: id_token, acr_values: 'mfa', prompt: 'none' })
  expect(redirectOf(hinted).error).toBe('login_required')
})
