import { describe, expect, it } from 'vitest'
import type { Client, Grant } from '../kernel/records.ts'
import { mayRedeemAt, withRemainingScopes } from './client-record.ts'

const STATIC = { origin: 'integration', redirectUris: ['https://app.example/cb', 'http://127.0.0.1/cb'] }
const GRANT = { scopes: ['read', 'write', 'share'] } as Partial<Grant> as Grant

const clientWith = (members: object) => ({ ...STATIC, ...members }) as Partial<Client> as Client

describe('a code', () => {
  it.each([
    ['that was sent to a redirect URI of the client', {}, 'https://app.example/cb', true],
    ['that was sent to another port of a loopback one', {}, 'http://127.0.0.1:9/cb', true],
    ['that was sent to a redirect URI that the client lost', {}, 'https://old.example/cb', false],
    ['that was sent to no redirect URI', {}, undefined, true],
    [
      'of a client that registered itself',
      { origin: 'registered', redirectUris: [] },
      'https://old.example/cb',
      true,
    ],
    ['of a client with a document', { origin: 'document', redirectUris: [] }, 'https://old.example/cb', true],
  ])('%s', (_, members, redirectUri, expected) => {
    expect(mayRedeemAt(clientWith(members), redirectUri)).toBe(expected)
  })
})

describe('the grant of a static client', () => {
  it.each([
    ['lists the scopes that the client lost as withheld', {}, ['write', 'share']],
    [
      'lists them after those that the user withheld',
      { withheldScopes: ['email'] },
      ['email', 'write', 'share'],
    ],
  ])('%s', (_, members, withheldScopes) => {
    const grant = { ...GRANT, ...members }
    const remaining = withRemainingScopes(grant, clientWith({ scopes: ['read', 'other'] }))
    expect(remaining).toEqual({ scopes: ['read'], withheldScopes })
  })

  it('is an error if no scope remains', () => {
    expect(() => withRemainingScopes(GRANT, clientWith({ scopes: ['other'] }))).toThrow(
      expect.objectContaining({ error: 'invalid_scope', reason: 'scope_not_registered' }),
    )
  })

  it.each([
    ['the client has all scopes of the grant', { scopes: ['share', 'write', 'read', 'other'] }],
    ['the client may request every scope', { scopes: undefined }],
    [
      'the client registered itself, with fewer scopes than it has',
      { origin: 'registered', scopes: ['read'] },
    ],
  ])('stays as it is if %s', (_, members) => {
    expect(withRemainingScopes(GRANT, clientWith(members))).toBe(GRANT)
  })
})
