import { dpop } from '@grantkit/core/dpop'
import { describe, expect, it } from 'vitest'
import { AS, failuresWith, header, member, type Spoil, TOKEN, USERINFO } from '../test/spoilt-server.ts'

describe('a server that takes proofs', () => {
  const features = [dpop()]

  it.each<[string, Record<string, Spoil>, string[]]>([
    ['nothing spoilt', {}, []],
    [
      'proofs by a shared secret',
      { [AS]: member('dpop_signing_alg_values_supported', ['ES256', 'HS256']) },
      ['dpop'],
    ],
    [
      'a preflight of a proxy',
      { [TOKEN]: header('access-control-allow-headers', 'authorization') },
      ['dpop'],
    ],
    ['a nonce that no script sees', { [TOKEN]: header('access-control-expose-headers', 'ETag') }, ['dpop']],
    [
      'a challenge that does not offer them',
      { [USERINFO]: header('www-authenticate', 'Bearer resource_metadata="https://server.example"') },
      ['dpop'],
    ],
  ])('and %s', async (_, spoils, expected) => {
    expect(await failuresWith(spoils, undefined, features)).toEqual(expected)
  })
})
