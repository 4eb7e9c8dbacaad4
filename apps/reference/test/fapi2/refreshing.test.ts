import { decodeJwt } from 'jose'
import { describe, expect, it } from 'vitest'
import { Key } from './key.ts'
import { outcome } from './party.ts'
import { suite, VARIANTS } from './suite.ts'

/** Refresh tokens: they stay, and they are of their client alone. */

const running = suite()

describe.each(VARIANTS)('$openid', ({ openid, scope }) => {
  it('refresh-token: both clients refresh, and their refresh tokens stay', async () => {
    for (const party of [running.one, running.two]) {
      const first = await party.tokens({ scope })
      const next = await party.refresh(first.refresh_token)
      expect(next).toMatchObject({ status: 200, body: { token_type: 'DPoP', scope } })
      expect(next.body.refresh_token).toBe(first.refresh_token)
      expect(next.body.access_token).not.toBe(first.access_token)
      expect((await party.call(next.body.access_token)).status).toBe(200)
      expect(next.body.id_token !== undefined).toBe(openid === 'openid_connect')
      if (openid === 'openid_connect') {
        const [before, after] = [first, next.body].map(({ id_token = '' }) => decodeJwt(id_token))
        for (const claim of ['iss', 'sub', 'aud', 'auth_time', 'azp'])
          expect(after?.[claim], claim).toEqual(before?.[claim])
      }
    }
  })

  it('refresh-token: without an assertion, without a proof and by another client it is rejected, and stays valid', async () => {
    const { one, two } = running
    const { refresh_token } = await one.tokens({ scope })
    const of = { client_id: one.clientId }
    expect(outcome(await one.refresh(refresh_token, of, { assertion: false }))).toEqual([
      401,
      'invalid_client',
    ])
    expect(outcome(await one.refresh(refresh_token, {}, { proof: false }))).toEqual([
      400,
      'invalid_dpop_proof',
    ])
    expect(outcome(await two.refresh(refresh_token))).toEqual([400, 'invalid_grant'])
    expect((await one.refresh(refresh_token)).status).toBe(200)
  })
})

it('a refresh token is bound to no key, because its client signs: each access token has the key of its refresh', async () => {
  const { one } = running
  const { refresh_token } = await one.tokens()
  const newer = await Key.of()
  const { access_token } = (await one.refresh(refresh_token, {}, { provenBy: newer })).body
  expect((await one.call(access_token, {}, { by: newer })).status).toBe(200)
  expect((await one.call(access_token)).status).toBe(401)
})
