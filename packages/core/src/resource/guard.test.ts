import { describe, expect, it } from 'vitest'
import { challenge } from './challenge.ts'
import { bearerToken } from './guard.ts'

const JWT = 'eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJ4In0.c2ln'

describe('bearerToken', () => {
  // The fifth is `{"a":1}:secret`, whose base64 begins like a JWT.
  it.each([undefined, '', 'Basic eDp5', 'Bearertoken', 'Basic eyJhIjoxfTpzZWNyZXQ=', 'DPoP abc'])(
    'takes %j for no token at all',
    (authorization) => {
      expect(bearerToken(authorization)).toBeUndefined()
    },
  )

  it.each(['Bearer abc', 'bearer abc', 'BEARER abc'])('reads %j', (authorization) => {
    expect(bearerToken(authorization)).toBe('abc')
  })

  it.each([
    'Bearer',
    'Bearer ',
    'Bearer  abc',
    'Bearer a b',
    'Bearer a,b',
    'Bearer abc, Bearer def',
    'Basic eDp5, Bearer abc',
    'Basic eDp5,Bearer abc',
    'Bearer ä',
    'Bearer "abc"',
    // Our token under another scheme is a mistake of the sender, not an anonymous request.
    `DPoP gka_${'g'.repeat(22)}.${'s'.repeat(43)}`,
    `gka_${'g'.repeat(22)}.${'s'.repeat(43)}`,
    `Token gkc_${'g'.repeat(22)}.${'s'.repeat(43)}`,
    ...['DPoP ', 'Token ', 'Basic ', 'JWT ', '', 'Token token="', 'Basic eDp5, DPoP '].map(
      (scheme) => scheme + JWT,
    ),
    `Bearer ${'a'.repeat(9000)}`,
  ])('finds a fault with %j and does not call it anonymous', (authorization) => {
    const reason = 'bearer_malformed'
    expect(() => bearerToken(authorization)).toThrow(expect.objectContaining({ reason }))
  })
})

describe('challenge', () => {
  it('leaves out what has no value', () => {
    expect(
      challenge('Bearer', { error: 'invalid_token', scope: undefined, resource_metadata: 'https://x' }),
    ).toBe('Bearer error="invalid_token", resource_metadata="https://x"')
  })

  it('is the bare scheme when there is nothing to say', () => {
    expect(challenge('Bearer', {})).toBe('Bearer')
  })
})
