import { describe, expect, it } from 'vitest'
import {
  declinedSignIn,
  markSignIn,
  requestedPrompts,
  requireNotDeclined,
  signInDemandedAt,
  signInNeeded,
  splitSignInTicket,
} from './sign-in.ts'

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
  const demand = { prompts: [] }

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

  it.each([
    ['prompt=login', 'a new sign-in', { prompts: ['login'] }, {}, false],
    [
      'prompt=login',
      'a sign-in that a clock 60 seconds behind dates',
      { prompts: ['login'] },
      { authTime: 940 },
      false,
    ],
    ['prompt=login', 'an older sign-in', { prompts: ['login'] }, { authTime: 939 }, true],
    ['prompt=login', 'a return without proof', { prompts: ['login'] }, { confirmedAt: 900 }, true],
    ['max_age=0', 'a return without proof', { prompts: [], maxAge: 0 }, { confirmedAt: 900 }, true],
    ['max_age=10', 'a return without proof', { prompts: [], maxAge: 10 }, { confirmedAt: 900 }, false],
    ['max_age=10', 'an older sign-in', { prompts: [], maxAge: 10 }, { authTime: 900 }, true],
    ['prompt=select_account', 'an older sign-in', { prompts: ['select_account'] }, { authTime: 900 }, false],
    ['a stronger class', 'an older sign-in', { prompts: [], weak: true }, { authTime: 900 }, false],
  ] as const)('after %s, %s that came back', (_, __, demand, facts, expected) => {
    expect(signInNeeded({ ...session, ...facts }, { ...demand, demandedAt: 1000 }, 1100)).toBe(expected)
  })
})

describe('a request that sent its user to sign in at 1000', () => {
  const query = 'client_id=a&prompt=login'
  const constant = { secret: ['secret'] as const, lifetimes: { consentTicket: 600 } }
  const at = (now: number) => ({ ...constant, kernel: { now: () => now } })
  const { ticket } = splitSignInTicket(markSignIn(at(1000), query, undefined))
  const session = { id: 's', subject: 'alice', authTime: 1100 }

  it.each([
    [1000, 'soon', 1100, session],
    [1000, 'in the last second of the ticket', 1599, session],
    [undefined, 'at the end of the ticket', 1600, session],
    [undefined, 'without a sign-in', 1100, undefined],
  ])('knows when it did (%s) of a user who comes back %s', (expected, _, now, session) => {
    expect(signInDemandedAt(at(now), query, ticket, session)).toBe(expected)
  })

  it('does not know the ticket of another request, or none', () => {
    for (const [other, presented] of [
      [`${query}&max_age=0`, ticket],
      [query, ''],
    ] as const)
      expect(signInDemandedAt(at(1100), other, presented, session)).toBeUndefined()
  })

  it('is given up by the address for users who do not sign in, whether it was marked before or not', () => {
    for (const returnTo of [`/authorize?${query}`, `/authorize?${query}&sign_in_ticket=${ticket}`]) {
      const declined = splitSignInTicket(declinedSignIn(returnTo))
      expect(declined.query).toBe(`/authorize?${query}`)
      expect(() => requireNotDeclined(declined.ticket)).toThrow(
        expect.objectContaining({ error: 'login_required' }),
      )
    }
  })
})
