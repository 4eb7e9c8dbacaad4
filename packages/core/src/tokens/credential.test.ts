import { describe, expect, it } from 'vitest'
import { type GrantId, type Secret, sha256, withoutSecrets } from '../kernel/secrets.ts'
import {
  formatCode,
  formatDecoupledCode,
  formatPersonalToken,
  formatRefreshToken,
  grantIdOf,
  opaqueAccessTokens,
  parseCode,
  parseDecoupledCode,
  parsePersonalToken,
  parseRefreshToken,
} from './credential.ts'

const { read: parseAccessToken, write: formatAccessToken } = opaqueAccessTokens
const grantId = 'g'.repeat(22) as GrantId
const secret = 's'.repeat(43) as Secret
const family = 'f'.repeat(22)
const refresh = { grantId, family, generation: 12, secret }

describe('a token string', () => {
  it('says what it is and which grant it belongs to', () => {
    expect(parseCode(formatCode({ grantId, secret }))).toEqual({ grantId, secret })
    expect(parseAccessToken(formatAccessToken({ grantId, secret }))).toEqual({
      grantId,
      hash: sha256(secret),
    })
    expect(parseRefreshToken(formatRefreshToken(refresh))).toEqual(refresh)
  })

  it('is not taken for one of another kind', () => {
    const [code, access] = [formatCode({ grantId, secret }), formatAccessToken({ grantId, secret })]
    expect([
      parseAccessToken(code),
      parseRefreshToken(code),
      parseCode(access),
      parseRefreshToken(access),
    ]).toEqual([undefined, undefined, undefined, undefined])
    expect(parseAccessToken(formatRefreshToken(refresh))).toBeUndefined()
  })

  it('of a decoupled flow has the prefix of that flow, where one is expected', () => {
    const [device, backchannel] = (['gkd', 'gkb'] as const).map((prefix) =>
      formatDecoupledCode(prefix, { ...refresh, requestId: family }),
    )
    const read = { grantId, requestId: family, secret }
    expect(parseDecoupledCode(String(device), 'gkb')).toBeUndefined()
    expect(parseDecoupledCode(String(backchannel), 'gkd')).toBeUndefined()
    for (const code of [device, backchannel]) expect(parseDecoupledCode(String(code))).toEqual(read)
    expect(parseDecoupledCode(formatCode({ grantId, secret }))).toBeUndefined()
  })

  it.each([
    ['authorization code', parseCode, formatCode(refresh)],
    [
      'device code',
      (text: string) => parseDecoupledCode(text, 'gkd'),
      formatDecoupledCode('gkd', { ...refresh, requestId: family }),
    ],
    [
      'auth_req_id',
      (text: string) => parseDecoupledCode(text, 'gkb'),
      formatDecoupledCode('gkb', { ...refresh, requestId: family }),
    ],
    ['refresh token', parseRefreshToken, formatRefreshToken({ ...refresh, generation: 3 })],
    ['access token', parseAccessToken, formatAccessToken(refresh)],
    ['personal access token', parsePersonalToken, formatPersonalToken(refresh)],
  ])('is taken for a credential of the kind %s only in its exact form', (_, parse, text) => {
    expect(parse(text)).toMatchObject({ grantId })
    expect(grantIdOf(text)).toBe(grantId)
    const parts = text.split('.')
    const changed = [
      '',
      `x${text}`,
      `${text}x`,
      `${text}\n`,
      text.slice(0, -1),
      text.slice(0, 4),
      parts.join(''),
    ]
    const shorter = parts.map((part, at) => parts.with(at, part.slice(0, -1)).join('.'))
    const foreign = parts.map((part, at) => parts.with(at, `${part.slice(0, -1)}+`).join('.'))
    for (const wrong of [...changed, ...shorter, ...foreign]) expect(parse(wrong), wrong).toBeUndefined()
    const nameless = [`x${text}`, text.replace('gk', 'gx'), text.replace('_g', '_'), text.replace('.', '')]
    for (const wrong of nameless) expect(grantIdOf(wrong), wrong).toBeUndefined()
  })

  it('keeps its grant id and loses its secret in logs', () => {
    const [token, code] = [formatRefreshToken(refresh), formatCode({ grantId, secret })]
    expect(withoutSecrets(`my ${token}, ${code}`)).toBe(`my gkr_${grantId}, gkc_${grantId}`)
    expect(withoutSecrets(`/a%2F${code.replace('.', '%2E')}/b`)).toBe(`/a%2Fgkc_${grantId}/b`)
    expect(withoutSecrets('An app')).toBe('An app')
    expect(withoutSecrets('/a/eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIn0.c2lnbmF0dXJl/b')).toBe(
      '/a/eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIn0/b',
    )
  })

  it.each(['-1', '01', '1e3', '9999999999', ''])('is refused with the generation %j', (generation) => {
    expect(parseRefreshToken(`gkr_${grantId}.${family}.${generation}.${secret}`)).toBeUndefined()
  })
})
