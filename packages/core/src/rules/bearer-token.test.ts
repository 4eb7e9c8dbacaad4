import { describe, expect, it } from 'vitest'
import { bearerChallenge, bearerToken } from './bearer-token.ts'

describe('bearerToken', () => {
  it.each([undefined, '', 'Basic eDp5', 'Bearertoken', 'DPoP abc'])(
    'takes %j for no token at all',
    (authorization) => {
      expect(bearerToken(authorization)).toBeUndefined()
    },
  )

  it.each(['Bearer abc', 'bearer abc', 'BEARER abc'])('reads %j', (authorization) => {
    expect(bearerToken(authorization)).toEqual({ token: 'abc' })
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
    `Bearer ${'a'.repeat(3000)}`,
  ])('finds a fault with %j and does not call it anonymous', (authorization) => {
    expect(bearerToken(authorization)).toEqual({ fault: 'bearer_malformed' })
  })
})

describe('bearerChallenge', () => {
  it('leaves out what has no value', () => {
    expect(
      bearerChallenge({ error: 'invalid_token', scope: undefined, resource_metadata: 'https://x' }),
    ).toBe('Bearer error="invalid_token", resource_metadata="https://x"')
  })

  it('is the bare scheme when there is nothing to say', () => {
    expect(bearerChallenge({})).toBe('Bearer')
  })
})
