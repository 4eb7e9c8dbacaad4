import { describe, expect, it } from 'vitest'
import { requestedPrompts, signInNeeded } from './sign-in.ts'

describe('requestedPrompts', () => {
  it.each([
    [undefined, []],
    ['', []],
    ['login  consent', ['login', 'consent']],
    ['none', ['none']],
  ])('%j -> %j', (prompt, expected) => {
    expect(requestedPrompts(prompt)).toEqual(expected)
  })

  it.each(['none login', 'nonsense', 'login nonsense', 'create'])('refuses %j', (prompt) => {
    const reason = 'prompt_invalid'
    expect(() => requestedPrompts(prompt)).toThrow(expect.objectContaining({ reason }))
  })
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
