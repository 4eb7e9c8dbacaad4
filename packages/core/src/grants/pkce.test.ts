import { describe, expect, it } from 'vitest'
import { CodeVerifier, requiredChallenge, verifierMatches } from './authorization-code.ts'

const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'

describe('requiredChallenge', () => {
  const refused = (reason: string) => expect.objectContaining({ reason })

  it('takes an S256 challenge', () => {
    expect(requiredChallenge(CHALLENGE, 'S256')).toBe(CHALLENGE)
  })

  it.each([undefined, 'plain', 's256', 'S512', 'S256 ', ''])('refuses the method %j', (method) => {
    expect(() => requiredChallenge(CHALLENGE, method)).toThrow(refused('challenge_method_unsupported'))
  })

  it.each([
    CHALLENGE.slice(1),
    `${CHALLENGE}a`,
    `${CHALLENGE.slice(1)}=`,
    `${CHALLENGE.slice(1)}+`,
    `${CHALLENGE.slice(1)}/`,
    `${CHALLENGE.slice(1)}\0`,
    `${CHALLENGE.slice(2)}😀`,
    'a'.repeat(128),
  ])('refuses the challenge %j', (challenge) => {
    expect(() => requiredChallenge(challenge, 'S256')).toThrow(refused('challenge_malformed'))
  })

  it('wants a challenge', () => {
    expect(() => requiredChallenge(undefined, 'S256')).toThrow(refused('challenge_missing'))
  })
})

describe('verifierMatches', () => {
  const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'

  it('accepts the pair of RFC 7636 appendix B', () => {
    expect(verifierMatches(verifier, CHALLENGE)).toBe(true)
  })

  it.each([
    ['the challenge as its own verifier', CHALLENGE, CHALLENGE, false],
    ['a verifier without a challenge', verifier, undefined, false],
    ['no verifier for a challenge', undefined, CHALLENGE, false],
    ['neither of them', undefined, undefined, true],
  ])('%s: %s, %s', (_, presented, challenge, matches) => {
    expect(verifierMatches(presented, challenge)).toBe(matches)
  })
})

describe('CodeVerifier', () => {
  it.each([
    ['a'.repeat(42), false],
    ['a'.repeat(43), true],
    ['-._~'.repeat(32), true],
    ['a'.repeat(129), false],
    [`${'a'.repeat(43)}!`, false],
    [`${'a'.repeat(43)}\n`, false],
  ])('%j: %s', (verifier, valid) => {
    expect(CodeVerifier.safeParse(verifier).success).toBe(valid)
  })
})
