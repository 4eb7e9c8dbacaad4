import { describe, expect, it } from 'vitest'
import { markSignIn, requestedPrompts, signedInSince, signInNeeded, splitSignInTicket } from './sign-in.ts'

describe('requestedPrompts', () => {
  it.each([
    [undefined, []],
    ['', []],
    ['login  consent', ['login', 'consent']],
    ['none', ['none']],
  ])('%j -> %j', (prompt, expected) => {
    expect(requestedPrompts(prompt)).toEqual(expected)
  })

  it.each(['none login', 'consent none', 'none none login', 'NONE', 'nonsense', 'login nonsense', 'create'])(
    'refuses %j',
    (prompt) => {
      const reason = 'prompt_invalid'
      expect(() => requestedPrompts(prompt)).toThrow(expect.objectContaining({ reason }))
    },
  )
})

describe('signInNeeded', () => {
  const session = { id: 's', subject: 'alice', authTime: 1000 }
  const demand = { prompts: [], satisfied: false }

  it('asks a user who is not signed in', () => {
    expect(signInNeeded(undefined, demand, 1000)).toBe(true)
  })

  it('does not ask without a reason', () => {
    expect(signInNeeded(session, demand, 999_999)).toBe(false)
  })

  it.each(['login', 'select_account'] as const)('asks again for prompt=%s', (prompt) => {
    expect(signInNeeded(session, { ...demand, prompts: [prompt] }, 1000)).toBe(true)
  })

  it.each([
    [10, 1010, false],
    [10, 1011, true],
    [0, 1000, true],
  ])('max_age=%i at %i: %s', (maxAge, now, expected) => {
    expect(signInNeeded(session, { ...demand, maxAge }, now)).toBe(expected)
  })

  it('does not ask twice for one request', () => {
    expect(signInNeeded(session, { prompts: ['login'], maxAge: 0, satisfied: true }, 1000)).toBe(false)
  })
})

describe('a request that sent its user to sign in at 1000', () => {
  const query = 'client_id=a&prompt=login'
  const constant = { secret: ['secret'] as const, lifetimes: { consentTicket: 600 } }
  const at = (now: number) => ({ ...constant, kernel: { now: () => now } })
  const { ticket } = splitSignInTicket(markSignIn(at(1000), query, undefined))
  const session = { id: 's', subject: 'alice', authTime: 1100 }

  it.each([
    [true, 'soon', 1100, session],
    [true, 'in the last second of the ticket', 1599, session],
    [false, 'at the end of the ticket', 1600, session],
    [false, 'without a sign-in', 1100, undefined],
  ])('is satisfied (%s) by a user who comes back %s', (expected, _, now, session) => {
    expect(signedInSince(at(now), query, ticket, session)).toBe(expected)
  })

  it('is not satisfied by the ticket of another request, or by none', () => {
    for (const [other, presented] of [
      [`${query}&max_age=0`, ticket],
      [query, ''],
    ] as const)
      expect(signedInSince(at(1100), other, presented, session)).toBe(false)
  })
})
