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
import { openSchool, REDIRECT_URI } from '../school.ts'

it('a client registers, gets consent, calls the API, refreshes for weeks, and is revoked', async () => {
  const school = openSchool()
  const client = await register(school)
  await authorize(school, authorizationQuery(client.clientId), {})
  const [path = '', query = ''] = (school.shown.signIn ?? '').split('?')
  await school.send('GET', path, { query, headers: ALICE })
  const code = redirectOf(await decide(school)).code ?? ''
  let tokens = bodyOf<TokenAnswer>(await redeem(school, client, code))
  for (let week = 0; week < 20; week++) {
    school.clock.now += 7 * 24 * 3600
    expect((await school.callApi(tokens.access_token)).kind, 'the old access token').toBe('refused')
    tokens = bodyOf<TokenAnswer>(await refresh(school, client, tokens.refresh_token))
    expect((await school.callApi(tokens.access_token, 'courses:read')).kind).toBe('authorized')
  }
  const form = { token: tokens.refresh_token, client_id: client.clientId }
  expect((await school.send('POST', '/api/oauth/revoke', { form })).body).toBe('{}')
  expect((await school.callApi(tokens.access_token)).kind).toBe('refused')
  expect((await school.store.grants.list({ subject: 'alice' }, { limit: 200 })).grants).toEqual([])
  expect(new Set(school.events.map(({ type }) => type))).toEqual(
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
  const school = openSchool()
  const [laptop, desktop] = [await register(school), await register(school)]
  const here = await tokensFor(school, laptop)
  const there = await tokensFor(school, desktop)
  await refresh(school, laptop, here.refresh_token)
  school.clock.now += 900
  expect(bodyOf(await refresh(school, laptop, here.refresh_token)).error, 'a theft on the laptop').toBe(
    'invalid_grant',
  )
  expect((await school.callApi(there.access_token, 'courses:read')).kind).toBe('authorized')
})

it('two processes of one app that refresh at the same time stay signed in', async () => {
  const school = openSchool()
  const client = await register(school)
  let { refresh_token } = await tokensFor(school, client)
  for (let hour = 0; hour < 24; hour++) {
    school.clock.now += 3600
    const [first, second] = await Promise.all([
      refresh(school, client, refresh_token),
      refresh(school, client, refresh_token),
    ])
    const pairs = [first, second].map((answer) => bodyOf<TokenAnswer>(answer))
    expect(pairs[0]?.refresh_token).toBe(pairs[1]?.refresh_token)
    expect(pairs[0]?.access_token).toBe(pairs[1]?.access_token)
    refresh_token = pairs[0]?.refresh_token ?? ''
  }
})

it('an app whose client was deleted registers again and continues', async () => {
  const school = openSchool()
  const forgotten = await register(school)
  school.clock.now += 8 * 24 * 3600
  expect((await authorize(school, authorizationQuery(forgotten.clientId))).status).toBe(400)
  const again = await register(school, { redirect_uris: [REDIRECT_URI] })
  expect((await tokensFor(school, again)).scope).toBe('openid profile courses:read')
})
