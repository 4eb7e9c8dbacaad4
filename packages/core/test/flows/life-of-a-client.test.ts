import { expect, it } from 'vitest'
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
} from '../client.ts'
import { openService, REDIRECT_URI } from '../service.ts'

it('a client registers, gets consent, calls the API, refreshes for weeks, and is revoked', async () => {
  const service = openService()
  const client = await register(service)
  await authorize(service, authorizationQuery(client.clientId), {})
  const [path = '', query = ''] = (service.shown.signIn ?? '').split('?')
  await service.send('GET', path, { query, headers: ALICE })
  const code = redirectOf(await decide(service)).code ?? ''
  let tokens = bodyOf<TokenAnswer>(await redeem(service, client, code))
  for (let week = 0; week < 20; week++) {
    service.clock.now += 7 * 24 * 3600
    expect((await service.callApi(tokens.access_token)).kind, 'the old access token').toBe('refused')
    tokens = bodyOf<TokenAnswer>(await refresh(service, client, tokens.refresh_token))
    expect((await service.callApi(tokens.access_token, 'courses:read')).kind).toBe('authorized')
  }
  const form = { token: tokens.refresh_token, client_id: client.clientId }
  expect((await service.send('POST', '/api/oauth/revoke', { form })).body).toBe('{}')
  expect((await service.callApi(tokens.access_token)).kind).toBe('refused')
  expect((await service.store.grants.list({ subject: 'alice' }, { limit: 200 })).grants).toEqual([])
  expect(new Set(service.events.map(({ type }) => type))).toEqual(
    new Set([
      'client_registered',
      'consent_granted',
      'code_redeemed',
      'refused',
      'refresh_token_rotated',
      'grant_revoked',
    ]),
  )
})

it('two installations of one app do not revoke the tokens of each other', async () => {
  const service = openService()
  const [laptop, desktop] = [await register(service), await register(service)]
  const here = await tokensFor(service, laptop)
  const there = await tokensFor(service, desktop)
  await refresh(service, laptop, here.refresh_token)
  service.clock.now += 900
  expect(bodyOf(await refresh(service, laptop, here.refresh_token)).error, 'a theft on the laptop').toBe(
    'invalid_grant',
  )
  expect((await service.callApi(there.access_token, 'courses:read')).kind).toBe('authorized')
})

it('two processes of one app that refresh at the same time stay signed in', async () => {
  const service = openService()
  const client = await register(service)
  let { refresh_token } = await tokensFor(service, client)
  for (let hour = 0; hour < 24; hour++) {
    service.clock.now += 3600
    const [first, second] = await Promise.all([
      refresh(service, client, refresh_token),
      refresh(service, client, refresh_token),
    ])
    const pairs = [first, second].map((answer) => bodyOf<TokenAnswer>(answer))
    expect(pairs[0]?.refresh_token).toBe(pairs[1]?.refresh_token)
    expect(pairs[0]?.access_token).toBe(pairs[1]?.access_token)
    refresh_token = pairs[0]?.refresh_token ?? ''
  }
})

it('an app whose client was deleted registers again and continues', async () => {
  const service = openService()
  const forgotten = await register(service)
  service.clock.now += 8 * 24 * 3600
  expect((await authorize(service, authorizationQuery(forgotten.clientId))).status).toBe(400)
  const again = await register(service, { redirect_uris: [REDIRECT_URI] })
  expect((await tokensFor(service, again)).scope).toBe('openid profile courses:read')
})
