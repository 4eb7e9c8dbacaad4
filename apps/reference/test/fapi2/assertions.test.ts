import { describe, expect, it } from 'vitest'
import type { Claims } from './key.ts'
import { type Changes, outcome } from './party.ts'
import { added, suite, VARIANTS } from './suite.ts'

/** Client authentication by `private_key_jwt`, at the push and at the token endpoint. */

const running = suite()
const REFUSED = [401, 'invalid_client']
const now = () => Math.floor(Date.now() / 1000)

describe('at the push, the audience of an assertion', () => {
  const baseUrl = () => running.service.baseUrl

  it.each<[string, () => unknown]>([
    ['par-test-array-as-audience-fails', () => [baseUrl(), 'https://other.example']],
    ['par-test-array-as-audience-fails, of the issuer alone', () => [baseUrl()]],
    ['par-test-par-endpoint-url-as-audience-fails', () => `${baseUrl()}/api/oauth/par`],
    ['par-test-token-endpoint-url-as-audience-fails', () => `${baseUrl()}/api/oauth/token`],
  ])('%s', async (_, aud) => {
    expect(outcome(await running.one.push({}, { assertion: { aud: aud() } }))).toEqual(REFUSED)
  })
})

describe('at the push, the times of an assertion', () => {
  it.each([8, 10])(
    'par-ensure-jwt-client-assertions-nbf-8-seconds-in-the-future-is-accepted: %s seconds',
    async (ahead) => {
      const later = now() + ahead
      expect((await running.one.push({}, { assertion: { iat: later, nbf: later } })).status).toBe(201)
    },
  )

  it('par-ensure-jwt-client-assertions-nbf-over-60-seconds-in-the-future-fails', async () => {
    const later = now() + 65
    const each: Claims[] = [{ iat: later, nbf: later, exp: later + 60 }, { nbf: later }, { iat: later }]
    for (const assertion of each) expect(outcome(await running.one.push({}, { assertion }))).toEqual(REFUSED)
  })
})

describe.each(VARIANTS)('$openid: at the token endpoint', ({ scope }) => {
  async function redeemed(changes: Changes, form = {}) {
    const { one } = running
    return outcome(await one.redeem((await one.callback({ scope })).code, form, changes))
  }

  it.each<[string, () => Changes]>([
    ['ensure-client-assertion-in-token-endpoint', () => ({ assertion: false })],
    [
      'ensure-client-assertion-with-exp-is-5-minutes-in-past-fails',
      () => ({ assertion: { exp: now() - 300 } }),
    ],
    ['ensure-client-assertion-with-wrong-aud-fails', () => ({ assertion: { aud: 'https://other.example' } })],
    ['ensure-client-assertion-with-no-sub-fails', () => ({ assertion: { sub: undefined } })],
  ])('%s', async (_, changes) => {
    expect(await redeemed(changes())).toEqual(REFUSED)
  })

  it('ensure-client-id-in-token-endpoint: the client_id of one client and the signature of another', async () => {
    const { one, two } = running
    const assertion = { iss: two.clientId, sub: two.clientId }
    expect(await redeemed({ assertion, signedBy: one.key }, { client_id: two.clientId })).toEqual(REFUSED)
  })
})

describe('the algorithms of assertions', () => {
  it.each(['PS256', 'EdDSA'])('%s is one', async (alg) => {
    const party = await added(running.service, `By ${alg}`, alg)
    expect((await party.redeem((await party.callback()).code)).status).toBe(200)
  })

  it('ensure-signed-client-assertion-with-RS256-fails: even by a registered RSA key', async () => {
    const party = await added(running.service, 'By an RSA key', 'PS256')
    const { code } = await party.callback()
    const signedBy = party.key.for('RS256')
    expect(outcome(await party.redeem(code, {}, { signedBy }))).toEqual(REFUSED)
    expect((await party.redeem(code)).status).toBe(200)
  })
})
