import { crc32 } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { type GrantId, type Secret, sha256, withoutSecrets } from '../kernel/secrets.ts'
import {
  checksumOf,
  formatPersonalToken,
  grantIdOf,
  opaqueAccessTokens,
  parsePersonalToken,
} from './credential.ts'

const grantId = 'g'.repeat(22) as GrantId
const secret = 's'.repeat(43) as Secret
const text = formatPersonalToken({ grantId, secret })

describe('the text of a personal access token', () => {
  it('has its grant id, its secret and the checksum of both', () => {
    expect(text).toBe(`gkp_${grantId}.${secret}${checksumOf(`gkp_${grantId}.${secret}`)}`)
    expect(parsePersonalToken(text)).toEqual({ grantId, secret })
    expect(opaqueAccessTokens.read(text)).toEqual({ grantId, hash: sha256(secret) })
    expect(grantIdOf(text)).toBe(grantId)
  })

  it.each([
    ['another checksum', `${text.slice(0, -1)}${text.endsWith('0') ? '1' : '0'}`],
    ['no checksum', text.slice(0, -6)],
    ['one changed character', text.replace('gg', 'gh')],
    ['the prefix of another kind', text.replace('gkp_', 'gka_')],
    ['more after it', `${text}x`],
    ['a line end', `${text}\n`],
    ['nothing', ''],
  ])('is refused with %s', (_, wrong) => {
    expect(parsePersonalToken(wrong)).toBeUndefined()
    expect(opaqueAccessTokens.read(wrong)).toBeUndefined()
  })

  it('names no grant when its checksum is wrong, so that no record is read', () => {
    expect(grantIdOf(`${text.slice(0, -6)}000000`)).toBeUndefined()
  })

  it('loses its secret in logs', () => {
    expect(withoutSecrets(`token=${text}&x`)).toBe(`token=gkp_${grantId}&x`)
  })
})

describe('the checksum', () => {
  it.each([
    ['the check value of CRC-32, 0xcbf43926', '123456789', 0xcbf43926],
    ['the empty text', '', 0],
    ['a token', text, crc32(text)],
  ])('is CRC-32 in six digits of base 62: %s', (_, input, expected) => {
    const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
    const checksum = checksumOf(input)
    expect(checksum).toHaveLength(6)
    expect([...checksum].reduce((sum, digit) => sum * 62 + digits.indexOf(digit), 0)).toBe(expected)
  })
})
