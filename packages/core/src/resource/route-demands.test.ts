import { describe, expect, it } from 'vitest'
import type { OAuthError } from '../kernel/oauth-error.ts'
import type { AccessToken, ClientCredentialsToken } from './access.ts'
import { checkedClasses, checkedSignIn, isAtLeast, requireSignIn, stricter } from './guard.ts'

const CLASSES = ['password', 'otp', 'phr']

it.each([
  ['phr', 'otp', true],
  ['otp', 'otp', true],
  ['password', 'otp', false],
  ['unknown', 'password', false],
  [undefined, 'password', false],
  [undefined, 'unknown', false],
  ['phr', 'unknown', false],
])('a sign-in of the class %s where %s is the least is enough: %s', (acr, least, expected) => {
  expect(isAtLeast(CLASSES, acr, least)).toBe(expected)
})

describe('two demands together', () => {
  it.each([
    [undefined, { acr: 'otp' }, { acr: 'otp' }],
    [{ acr: 'otp' }, { acr: 'phr' }, { acr: 'phr', maxAge: undefined }],
    [{ acr: 'phr' }, { acr: 'otp' }, { acr: 'phr', maxAge: undefined }],
    [{ acr: 'otp' }, { maxAge: 60 }, { acr: 'otp', maxAge: 60 }],
    [{ maxAge: 60 }, { acr: 'otp' }, { acr: 'otp', maxAge: 60 }],
    [{ maxAge: 60 }, { maxAge: 30 }, { acr: undefined, maxAge: 30 }],
  ])('%j and %j are %j', (first, second, both) => {
    expect(stricter(CLASSES, first, second)).toEqual(both)
  })
})

it.each([
  [{ maxAge: 1 }, undefined],
  [{ acr: 'phr' }, undefined],
  [{}, 'acr or maxAge'],
  [{ acr: 'unknown' }, 'unknown'],
  [{ maxAge: 0 }, 'maxAge'],
  [{ maxAge: 1.5 }, 'maxAge'],
])('the demand %j has the fault %s', (demand, fault) => {
  const check = () => checkedSignIn(CLASSES, demand)
  if (fault === undefined) expect(check()).toMatchObject(demand)
  else expect(check).toThrow(fault)
})

it.each([[['a', 'b', 'a']], [['']], [['with space']], [['"']], [['\\']], [['x'.repeat(201)]]])(
  'classes cannot be %j',
  (classes) => {
    expect(() => checkedClasses('authenticationClasses', classes)).toThrow('authenticationClasses')
  },
)

describe('the sign-in of a token', () => {
  const token = { acr: 'otp', authTime: 1000, issuedAt: 1010 } as AccessToken
  const client = { ...token, by: 'client' } as unknown as ClientCredentialsToken

  it.each([
    ['strong enough', token, { acr: 'otp' }, 1020, undefined],
    ['too weak', token, { acr: 'phr' }, 1020, 'bearer_sign_in_weak'],
    ['young enough', token, { maxAge: 20 }, 1020, undefined],
    ['too old', token, { maxAge: 19 }, 1020, 'bearer_sign_in_old'],
    [
      'no younger than at the issue, by a clock that went back',
      token,
      { maxAge: 9 },
      1000,
      'bearer_sign_in_old',
    ],
    ['of the future', { ...token, authTime: 1021 }, { maxAge: 9999 }, 1020, 'bearer_sign_in_old'],
    ['unknown', { ...token, authTime: undefined }, { maxAge: 9999 }, 1020, 'bearer_sign_in_old'],
    ['of a client', client, { acr: 'otp' }, 1020, 'bearer_sign_in_weak'],
    ['of a client', client, { maxAge: 20 }, 1020, 'bearer_sign_in_old'],
    [
      'of a personal token',
      { ...token, personal: true as const },
      { maxAge: 20 },
      1020,
      'bearer_sign_in_old',
    ],
  ])('is %s', (_, presented, demand, now, reason) => {
    const check = () => requireSignIn(presented, demand, CLASSES, now)
    if (reason === undefined) expect(check).not.toThrow()
    else expect(check).toThrow(expect.objectContaining({ reason } satisfies Partial<OAuthError>))
  })
})
