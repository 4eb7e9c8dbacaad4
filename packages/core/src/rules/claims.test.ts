import { describe, expect, it } from 'vitest'
import { claimsFor } from './claims.ts'

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
