import { describe, expect, it } from 'vitest'
import type { TokenRequest } from '../grants/grant-type.ts'
import { claimsOfScopes, idTokenClaims, releaseClaims } from './id-token.ts'

const CATALOGUE = Object.fromEntries(
  ['openid', 'profile', 'email', 'address', 'phone', 'courses:read'].map((name) => [
    name,
    { description: name },
  ]),
)
const STAFF = { description: 'See your role', claims: ['role', 'https://server.example/house'] }
const USER = {
  ...{ sub: 'x', name: 'Alice', email: 'alice@server.example', email_verified: false, nickname: '' },
  ...{ website: null, role: 'teacher', phone_number: '+1 555', ssn: '1' },
}

function open(catalogue = CATALOGUE) {
  const events: object[] = []
  const emit = (event: object) => void events.push(event)
  return { events, release: releaseClaims({ scopes: catalogue, emit }) }
}

describe('the claims of a user', () => {
  it.each([
    [['openid'], {}],
    [['openid', 'profile'], { name: 'Alice' }],
    [['email'], { email: 'alice@server.example', email_verified: false }],
    [['phone'], { phone_number: '+1 555' }],
    [['staff'], { role: 'teacher' }],
    [['courses:read', 'constructor'], {}],
  ])('are those that %j opens', (scopes, expected) => {
    const { release } = open({ ...CATALOGUE, staff: STAFF })
    expect(release(scopes, USER)).toEqual(expected)
  })

  it('that no scope opens are named to the operator, each once', () => {
    const { events, release } = open()
    for (const user of [USER, USER, { house: 'red' }]) release(['openid'], user)
    const type = 'claims_unreleased'
    expect(events).toEqual([
      { type, names: ['role', 'ssn'] },
      { type, names: ['house'] },
    ])
  })

  it('that no scope opens are remembered and named up to a hundred, however many names there are', () => {
    const { events, release } = open()
    for (let tenant = 0; tenant < 500; tenant++) release(['openid'], { [`role_${tenant}`]: 'x' })
    expect(events).toHaveLength(100)
  })
})

describe('claimsOfScopes', () => {
  it('has the claims of OpenID Connect Core 5.4, and those that the catalogue adds', () => {
    const profile =
      'name family_name given_name middle_name nickname preferred_username profile picture website gender birthdate zoneinfo locale updated_at'
    const scopes = ['profile', 'openid', 'email', 'address', 'phone', 'staff', 'unknown']
    expect(claimsOfScopes(scopes, { ...CATALOGUE, staff: STAFF })).toEqual([
      ...profile.split(' '),
      ...['email', 'email_verified', 'address', 'phone_number', 'phone_number_verified'],
      ...STAFF.claims,
    ])
  })
})

describe('the claims of an ID token', () => {
  const wanting = { idTokenClaims: true }

  function claimsFor(grant: object | undefined, options: object = wanting) {
    const stored = grant && { value: grant, version: '1' }
    const request = { client: {}, stored } as unknown as TokenRequest
    return idTokenClaims(async () => undefined, open().release, options)(request, ['openid'], 'alice')
  }

  it('are asked for before the code is redeemed: the code of a user who is gone is refused, and not spent', async () => {
    await expect(claimsFor({ code: { redeemedAt: undefined } })).rejects.toMatchObject({
      reason: 'subject_gone',
    })
  })

  it.each([
    ['a code that was redeemed', { code: { redeemedAt: 1 } }],
    ['a refresh', { code: undefined }],
    ['a grant that does not exist yet', undefined],
  ])('are none of a user who is gone with %s', async (_, grant) => {
    expect(await claimsFor(grant)).toEqual({})
  })

  it('are not asked for by a client that gets none', () => {
    expect(claimsFor({ code: { redeemedAt: undefined } }, {})).toBeUndefined()
  })
})
