import { describe, expect, it } from 'vitest'
import { type DecoupledRedemption, redeemDecoupledCode } from '../../grants/decoupled-code.ts'
import type { Outcome } from '../../grants/grant.ts'
import type { AccessTokenState, Client, Grant } from '../../kernel/records.ts'
import { type GrantId, type Secret, sha256, successorKeys } from '../../kernel/secrets.ts'
import { formatDecoupledCode } from '../../tokens/credential.ts'
import { CODE_ERRORS } from './device-token-request.ts'

const NOW = 1_000_000
const APIS = ['https://one.example', 'https://other.example']
const TERMS = { accessToken: 300, refreshToken: 9000, refreshRetryWindow: 60, maxAccessTokens: 8 }
const SECRET = 'a secret of the tests, long enough to pass'
const CODE = {
  grantId: 'g'.repeat(22) as GrantId,
  requestId: 'r'.repeat(22),
  secret: 's'.repeat(43) as Secret,
}
const TEXT = formatDecoupledCode('gkd', CODE)
const CLIENT = {
  clientId: 'tv',
  grantTypes: ['refresh_token'],
  tokenEndpointAuthMethod: 'none',
} as Partial<Client>
const VERIFIER = 'v'.repeat(43)

/** The grant of an approved request, with these members of its code. */
function approved(code: object = {}, members: Partial<Grant> = {}): Grant {
  return {
    ...{ id: CODE.grantId, clientId: 'tv', scopes: ['read'], resources: APIS, subject: 'alice' },
    ...{ createdAt: NOW, usedAt: NOW, expiresAt: NOW + 30_000, accessTokens: [] },
    code: { hash: sha256(TEXT), expiresAt: NOW + 600, ...code },
    ...members,
  }
}

function redeem(grant: Grant, changed: Partial<DecoupledRedemption> = {}, later = 0) {
  const request = {
    ...{ code: CODE, text: TEXT, client: CLIENT as Client, verifier: undefined, resources: [] },
    ...{ knownResources: APIS, salt: 'salt', keys: successorKeys(SECRET), arrivedAt: NOW + later },
  }
  return redeemDecoupledCode(grant, { ...request, ...changed }, NOW + later, TERMS, CODE_ERRORS)
}

type Changed = Extract<Outcome<{ readonly accessToken: string }>, { kind: 'changed' }>
const ONCE = () => redeem(approved()) as Changed

describe('a device code', () => {
  it('gets tokens, which the same request gets again', () => {
    const { grant, result } = ONCE()
    expect(grant.code).toMatchObject({ redeemedAt: NOW, salt: 'salt', keyId: successorKeys(SECRET).keyId })
    expect(grant).toMatchObject({ usedAt: NOW, accessTokens: [{ hash: sha256(result.accessToken) }] })
    expect(result).toMatchObject({ scopes: ['read'], resources: APIS, expiresIn: 300 })
    expect(redeem(grant, { salt: 'another' }, 10)).toEqual({
      ...{ kind: 'unchanged', grant },
      result: { ...result, expiresIn: 290, retried: 'in window' },
    })
  })

  it.each([
    ['the last second of the window', 59, {}, 'in window'],
    ['the window, while its tokens are unused', 60, {}, 'late'],
    ['the window, if its tokens were used', 60, { usedAt: NOW + 1 }, 'ended'],
    ['the window, if its refresh token was rotated', 60, { generation: 1 }, 'ended'],
    ['the end of the code, while its tokens are unused', 700, {}, 'late'],
    ['fifteen minutes', 900, {}, 'ended'],
  ])(
    'gets them again after %s (%d s, %j): %s',
    (_, later, { usedAt = NOW, generation = 0 }: Use, expected) => {
      const { grant } = ONCE()
      const refresh = grant.refresh && { ...grant.refresh, generation }
      const outcome = redeem({ ...grant, usedAt, refresh }, {}, later)
      const reason = { kind: 'ended', refusal: { reason: 'device_code_replayed' } }
      expect(outcome).toMatchObject(expected === 'ended' ? reason : { result: { retried: expected } })
    },
  )

  it('that gets them late marks the grant once: two callers may have its refresh token', () => {
    const marked = redeem(ONCE().grant, {}, 60) as Changed
    expect(marked).toMatchObject({ kind: 'changed', grant: { refresh: { shared: true } } })
    expect(redeem(marked.grant, {}, 61).kind).toBe('unchanged')
    const without = { ...ONCE().grant, refresh: undefined }
    expect(redeem(without, {}, 60)).toMatchObject({ kind: 'unchanged', result: { refreshToken: undefined } })
  })

  it('gets expires_in 0 with an access token that was revoked', () => {
    const { grant } = ONCE()
    const [first] = grant.accessTokens as [AccessTokenState]
    const revoked = { ...grant, accessTokens: [{ ...first, hash: sha256('another') }] }
    expect(redeem(revoked, { resources: APIS.slice(1), jkt: 'any' }, 1)).toMatchObject({
      result: { expiresIn: 0 },
    })
  })

  it('has no family that two of its answers share', () => {
    const families = ['salt', 'other'].map((salt) => {
      const outcome = redeem(approved(), { salt })
      return outcome.kind === 'changed' && outcome.result.refreshToken?.family
    })
    expect(new Set(families).size).toBe(2)
  })

  it.each<[string, Grant, Partial<DecoupledRedemption>, number, string]>([
    ['another text', approved(), { text: `${TEXT}x` }, 0, 'device_code_unknown'],
    ['a grant without a code', approved({}, { code: undefined }), {}, 0, 'device_code_unknown'],
    [
      'another client',
      approved(),
      { client: { ...CLIENT, clientId: 'x' } as Client },
      0,
      'device_code_of_other_client',
    ],
    ['another key', approved({ jkt: 'key' }), { jkt: 'x' }, 0, 'device_code_of_other_key'],
    ['the second of its end', approved(), {}, 600, 'device_code_expired'],
    ['no verifier', approved({ challenge: sha256(VERIFIER) }), {}, 0, 'code_verifier_missing'],
    ['another resource', ONCE().grant, { resources: APIS.slice(1) }, 1, 'device_retry_differs'],
    ['another key than before', ONCE().grant, { jkt: 'x' }, 1, 'device_retry_differs'],
    [
      'a secret that is gone',
      ONCE().grant,
      { keys: successorKeys(`${SECRET}, new`) },
      1,
      'device_retry_key_gone',
    ],
  ])('is refused with %s, and ends nothing', (_, grant, changed, later, reason) => {
    expect(() => redeem(grant, changed, later)).toThrow(expect.objectContaining({ reason }))
  })

  it.each([
    ['a wrong verifier', { challenge: sha256(VERIFIER) }, 'w'.repeat(43)],
    ['a verifier without a challenge', {}, VERIFIER],
  ])('ends its grant with %s', (_, code, verifier) => {
    const refusal = expect.objectContaining({ reason: 'code_verifier_mismatch' })
    expect(redeem(approved(code), { verifier })).toEqual({ kind: 'ended', refusal })
  })

  it('is good until its end, with its key and its verifier', () => {
    const grant = approved({ jkt: 'key', challenge: sha256(VERIFIER) })
    expect(redeem(grant, { jkt: 'key', verifier: VERIFIER }, 599)).toMatchObject({
      ...{ kind: 'changed', result: { jkt: 'key', expiresIn: 300 } },
      grant: { refresh: { jkt: 'key' }, accessTokens: [{ jkt: 'key', resources: APIS }] },
    })
  })
})

interface Use {
  readonly usedAt?: number
  readonly generation?: number
}
