import { describe, expect, it } from 'vitest'
import { defineErrors } from '../kernel/oauth-error.ts'
import { type GrantId, type Hash, sha256 } from '../kernel/secrets.ts'
import { isOfCode } from './decoupled-code.ts'
import { answered, type Decision, type DecoupledRequest, isOpen } from './decoupled-request.ts'

const NOW = 1_000_000
const REQUEST: DecoupledRequest = {
  kind: 'device',
  clientId: 'tool',
  scopes: ['read', 'write'],
  ignoredScopes: [],
  resources: [],
  codeHash: 'hash' as Hash,
  grantId: 'grant' as GrantId,
  createdAt: NOW,
  endsAt: NOW + 600,
  expiresAt: NOW + 900,
}
const ALLOWED: Decision = { subject: 'alice', scopes: ['read'], authTime: NOW }
const ANSWERED: DecoupledRequest = { ...REQUEST, decision: ALLOWED }

const ERRORS = defineErrors({
  gone: ['invalid_request', 'It has expired'],
  answered: ['invalid_request', 'It has an answer'],
})
const answer = (request: DecoupledRequest, decision: Decision, now: number) =>
  answered(request, decision, now, ERRORS)
const refused = (reason: string) => expect.objectContaining({ reason })

describe('a request that its user answers elsewhere', () => {
  it('takes a decision until the second in which its codes expire', () => {
    expect(answer(REQUEST, ALLOWED, NOW + 599)).toEqual(ANSWERED)
    expect(() => answer(REQUEST, ALLOWED, NOW + 600)).toThrow(refused('gone'))
  })

  it('is written once, and takes a repetition of its decision even after the codes expired', () => {
    const repetition = { ...ALLOWED, authTime: NOW + 5 }
    expect(answer(ANSWERED, repetition, NOW + 599)).toBe(ANSWERED)
    expect(answer(ANSWERED, repetition, NOW + 600)).toBe(ANSWERED)
  })

  it.each([
    ['another user', { subject: 'bob' }],
    ['other scopes', { scopes: ['read', 'write'] }],
    ['a denial', { scopes: [] }],
  ])('refuses a second decision: %s', (_, other) => {
    const second = { ...ALLOWED, ...other }
    expect(() => answer(ANSWERED, second, NOW + 1)).toThrow(refused('answered'))
  })

  it('is open until its codes expire, and only without a decision', () => {
    expect(isOpen(REQUEST, NOW + 599)).toBe(true)
    expect(isOpen(REQUEST, NOW + 600)).toBe(false)
    expect(isOpen(ANSWERED, NOW + 1)).toBe(false)
  })

  it.each([
    ['its code', 'code', 'grant', true],
    ['another code', 'x', 'grant', false],
    ['its code under another grant', 'code', 'x', false],
  ])('is found by %s: %s, %s', (_, deviceCode, id, found) => {
    const request = { ...REQUEST, codeHash: sha256('code') }
    expect(isOfCode(request, deviceCode, id as GrantId)).toBe(found)
  })
})
