import { describe, expect, it } from 'vitest'
import { claimsFor, claimsOfScopes } from './claims.ts'

describe('claimsFor', () => {
  const user = {
    name: 'Alice',
    email: 'alice@school.example',
    email_verified: false,
    nickname: '',
    website: null,
    ssn: '1',
  }

  it.each([
    [['openid'], {}],
    [['openid', 'profile'], { name: 'Alice' }],
    [['email'], { email: 'alice@school.example', email_verified: false }],
    [['courses:read', 'constructor'], {}],
  ])('opens %j', (scopes, expected) => {
    expect(claimsFor(scopes, user)).toEqual(expected)
  })
})

describe('claimsOfScopes', () => {
  it('opens the claims of OpenID Connect Core 5.4 for profile and email', () => {
    const profile =
      'name family_name given_name middle_name nickname preferred_username profile picture website gender birthdate zoneinfo locale updated_at'
    expect(claimsOfScopes(['profile', 'openid', 'email'])).toEqual([
      ...profile.split(' '),
      'email',
      'email_verified',
    ])
  })
})
