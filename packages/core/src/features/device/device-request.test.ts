import { describe, expect, it } from 'vitest'
import { type GrantId, type Hash, sha256 } from '../../kernel/secrets.ts'
import { answered, type Decision, type DeviceRequest, isOfDevice, isOpen } from './device-authorization.ts'

const NOW = 1_000_000
const REQUEST: DeviceRequest = {
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
const ANSWERED: DeviceRequest = { ...REQUEST, decision: ALLOWED }

const refused = (reason: string) => expect.objectContaining({ reason })

describe('a request of a device', () => {
  it('takes a decision until the second in which its codes expire', () => {
    expect(answered(REQUEST, ALLOWED, NOW + 599)).toEqual(ANSWERED)
    expect(() => answered(REQUEST, ALLOWED, NOW + 600)).toThrow(refused('device_request_gone'))
  })

  it('is written once, and takes a repetition of its decision even after the codes expired', () => {
    const repetition = { ...ALLOWED, authTime: NOW + 5 }
    expect(answered(ANSWERED, repetition, NOW + 599)).toBe(ANSWERED)
    expect(answered(ANSWERED, repetition, NOW + 600)).toBe(ANSWERED)
  })

  it.each([
    ['another user', { subject: 'bob' }],
    ['other scopes', { scopes: ['read', 'write'] }],
    ['a denial', { scopes: [] }],
  ])('refuses a second decision: %s', (_, other) => {
    const second = { ...ALLOWED, ...other }
    expect(() => answered(ANSWERED, second, NOW + 1)).toThrow(refused('device_request_answered'))
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
    expect(isOfDevice(request, deviceCode, id as GrantId)).toBe(found)
  })
})
