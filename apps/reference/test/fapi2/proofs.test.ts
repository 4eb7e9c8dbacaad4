import { beforeAll, describe, expect, it } from 'vitest'
import { type Claims, Key } from './key.ts'
import type { Party } from './party.ts'
import { added, suite } from './suite.ts'

/** DPoP proofs at the API, each of them wrong in one way, and around the clock at every endpoint. */

const running = suite()
const now = () => Math.floor(Date.now() / 1000)

let token: string | undefined
beforeAll(async () => {
  token = (await running.one.tokens()).access_token
})

/** A proof that is right for the API, but for these claims and members of its header. */
async function proof(
  claims: Claims = {},
  header: object = {},
  by = running.one.proving,
  of: Party = running.one,
) {
  const ath = Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(token ?? ''))).toString(
    'base64url',
  )
  return of.proof('GET', '/api/courses', { ath, ...claims }, by, header)
}

/** What was signed goes, and the header or the claims are others. */
function withHeader(jwt: string, changed: object): string {
  const [header = '', ...rest] = jwt.split('.')
  const members = { ...JSON.parse(Buffer.from(header, 'base64url').toString()), ...changed }
  return [Buffer.from(JSON.stringify(members)).toString('base64url'), ...rest].join('.')
}

const status = async (line: string | false | Claims, how = {}) =>
  (await running.one.call(token, line, how)).status

describe('dpop-negative-tests: rejects a proof', () => {
  it.each<[string, () => Promise<string>]>([
    ['that comes with a second one', async () => `${await proof()}, ${await proof()}`],
    ['that is no JWT', async () => (await proof()).replace('.', '')],
    ['without typ', () => proof({}, { typ: undefined })],
    ['of another typ', () => proof({}, { typ: 'JWT' })],
    ['without alg', async () => withHeader(await proof(), { alg: undefined })],
    [
      'with the alg none',
      async () =>
        `${withHeader(await proof(), { alg: 'none' })
          .split('.', 2)
          .join('.')}.`,
    ],
    ['without jwk', () => proof({}, { jwk: undefined })],
    ['with a private jwk', () => proof({}, { jwk: running.one.proving.privateJwk })],
    ['without jti', () => proof({ jti: undefined })],
    ['without htm', () => proof({ htm: undefined })],
    ['without htu', () => proof({ htu: undefined })],
    ['without iat', () => proof({ iat: undefined })],
    ['without ath', () => proof({ ath: undefined })],
    [
      'with a signature of something else',
      async () => (await proof()).replace(/\.[^.]+$/, `.${'A'.repeat(86)}`),
    ],
    ['for another method', () => proof({ htm: 'PUT' })],
    ['for another address', () => proof({ htu: 'https://other.example/api/courses' })],
    ['for another token', () => proof({ ath: 'A'.repeat(43) })],
    ['of another key', async () => proof({}, {}, await Key.of())],
  ])('%s', async (_, made) => {
    expect(await status(await made())).toBe(401)
  })

  it.each([3600, -3600])('whose iat is %s seconds away, with a nonce that helps', async (seconds) => {
    const { status: refused, headers } = await running.one.call(token, { iat: now() + seconds })
    expect([refused, headers.get('www-authenticate')]).toEqual([
      401,
      expect.stringContaining('use_dpop_nonce'),
    ])
    const nonce = headers.get('dpop-nonce')
    expect(await status({ iat: now() + seconds, nonce })).toBe(200)
  })

  it('signed with RS256, by a key for PS256', async () => {
    const party = await added(running.service, 'By an RSA key', 'PS256')
    const { access_token } = await party.tokens()
    expect((await party.call(access_token)).status).toBe(200)
    expect((await party.call(access_token, {}, { by: party.proving.for('RS256') })).status).toBe(401)
  })

  it('that is missing, also where the scheme is Bearer', async () => {
    expect(await status(false)).toBe(401)
    expect(await status(false, { scheme: 'Bearer' })).toBe(401)
  })
})

describe('dpop-negative-tests: accepts a proof', () => {
  it.each<[string, Claims | (() => Claims), object?]>([
    ['in a header of capitals', {}, { name: 'DPOP' }],
    ['whose htu has a query and a fragment', () => ({ htu: `${running.one.base}/api/courses?x=y#z` })],
    ['whose htu lacks the query of the request', {}, { path: '/api/courses?limit=1' }],
    ['whose htu is in capitals', () => ({ htu: `${running.one.base.toUpperCase()}/api/courses` })],
    ['with unknown members', { extra: 'claim' }, { header: { extra: 'member' } }],
    ['that does everything right', {}],
  ])('%s', async (_, claims, how) => {
    expect(await status(typeof claims === 'function' ? claims() : claims, how)).toBe(200)
  })
})

describe('a proof at the push, the token endpoint and the API', () => {
  async function flow(claims: () => Claims): Promise<number> {
    const { one } = running
    const { code } = await one.callback({}, { proof: claims() })
    const { access_token } = (await one.redeem(code, {}, { proof: claims() })).body
    return (await one.call(access_token, claims())).status
  }

  it.each<[string, () => Claims]>([
    ['check-dpop-proof-nbf-exp', () => ({ nbf: now(), exp: now() + 300 })],
    ['ensure-dpopproof-with-iat-10seconds-before-succeeds', () => ({ iat: now() - 10 })],
    ['ensure-dpopproof-with-iat-10seconds-after-succeeds', () => ({ iat: now() + 10 })],
  ])('%s', async (_, claims) => {
    expect(await flow(claims)).toBe(200)
  })

  it('may have an iat 10 seconds ahead, and not more than 60', async () => {
    expect(await status({ nbf: now() + 10 })).toBe(200)
    expect(await status({ nbf: now() + 65 })).toBe(401)
  })
})
