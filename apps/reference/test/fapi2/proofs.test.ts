import { expect, it } from 'vitest'
import type { Claims } from './key.ts'
import { added, suite } from './suite.ts'

/** DPoP proofs at the push, the token endpoint and the API. What a proof must be is tested in core. */

const running = suite()
const now = () => Math.floor(Date.now() / 1000)

it('dpop-negative-tests: a proof signed with RS256, by a key for PS256, is rejected', async () => {
  const party = await added(running.service, 'By an RSA key', 'PS256')
  const { access_token } = await party.tokens()
  expect((await party.call(access_token)).status).toBe(200)
  expect((await party.call(access_token, {}, { by: party.proving.for('RS256') })).status).toBe(401)
})

it.each<[string, () => Claims]>([
  ['check-dpop-proof-nbf-exp', () => ({ nbf: now(), exp: now() + 300 })],
  ['ensure-dpopproof-with-iat-10seconds-before-succeeds', () => ({ iat: now() - 10 })],
  ['ensure-dpopproof-with-iat-10seconds-after-succeeds', () => ({ iat: now() + 10 })],
])('%s: at the push, the token endpoint and the API', async (_, claims) => {
  const { one } = running
  const { code } = await one.callback({}, { proof: claims() })
  const { access_token } = (await one.redeem(code, {}, { proof: claims() })).body
  expect((await one.call(access_token, claims())).status).toBe(200)
})
