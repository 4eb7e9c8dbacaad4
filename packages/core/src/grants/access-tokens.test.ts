import { describe, expect, it } from 'vitest'
import type { AccessTokenState, Grant } from '../kernel/records.ts'
import { type Hash, type Secret, sha256 } from '../kernel/secrets.ts'
import {
  addAccessToken,
  findAccessToken,
  holderOf,
  newAccessToken,
  withoutAccessToken,
  withoutOrphans,
} from './grant.ts'
import type { GrantTerms } from './grant-terms.ts'

const NOW = 1_000_000
const API = 'https://api.example'
const TERMS = { accessToken: 300, maxAccessTokens: 2 } as GrantTerms

function token(name: string, members: Partial<AccessTokenState> = {}): AccessTokenState {
  return { hash: name as Hash, scopes: [], resources: [], issuedAt: NOW, expiresAt: NOW + 300, ...members }
}

const exchangedFor = (parent: string, name: string) =>
  token(name, { parent: parent as Hash, actor: { sub: 'api' } })

/** A grant with these tokens, of which `old` has expired. */
function grantWith(...tokens: AccessTokenState[]): Grant {
  const accessTokens = [token('old', { expiresAt: NOW }), ...tokens]
  return { clientId: 'owner', expiresAt: NOW + 1000, accessTokens } as Partial<Grant> as Grant
}

const FAMILY = grantWith(token('a'), exchangedFor('a', 'b'), exchangedFor('b', 'c'), token('d'))
const hashes = (tokens: readonly AccessTokenState[]) => tokens.map(({ hash }) => hash).join(' ')

describe('a live access token', () => {
  it.each([
    ['a', 'a'],
    ['c', 'c'],
    ['old', undefined],
    ['x', undefined],
  ])('is found by its hash: %s', (hash, found) => {
    expect(findAccessToken(FAMILY, hash as Hash, NOW)?.hash).toBe(found)
  })

  it('is not found once the token is gone that it was exchanged for, or the parent of that one', () => {
    const [, , child, grandchild] = FAMILY.accessTokens
    const orphaned = { ...FAMILY, accessTokens: [child, grandchild] as AccessTokenState[] }
    for (const hash of ['b', 'c']) expect(findAccessToken(orphaned, hash as Hash, NOW)).toBeUndefined()
  })

  it('goes with all tokens that were exchanged for it', () => {
    expect(hashes(withoutAccessToken(FAMILY, 'a' as Hash).accessTokens)).toBe('old d')
    expect(hashes(withoutAccessToken(FAMILY, 'c' as Hash).accessTokens)).toBe('old a b d')
    expect(withoutOrphans(FAMILY.accessTokens)).toBe(FAMILY.accessTokens)
  })

  it('is held by the client that exchanged it, or by the client of the grant', () => {
    const [, own, exchanged] = FAMILY.accessTokens
    expect([own, exchanged, undefined].map((held) => holderOf(FAMILY, held))).toEqual([
      'owner',
      'api',
      'owner',
    ])
  })
})

describe('a new access token', () => {
  const fresh = { secret: 'new' as Secret, scopes: ['read'], resources: [API] }
  const bound = { ...TERMS, boundResources: ['https://other.example', API] }

  it.each([
    ['as many as may live', [token('a')], 'a new', false],
    ['one more: the oldest goes', [token('a'), token('b')], 'b new', true],
    ['exchanged ones, which do not count', [token('a'), exchangedFor('a', 'b')], 'a new b', false],
    ['one more: the oldest goes with its children', [...FAMILY.accessTokens], 'd new', true],
  ])('is added to %s', (_, tokens, expected, dropped) => {
    const added = addAccessToken(grantWith(...tokens), fresh, NOW, TERMS)
    expect(hashes(added.accessTokens)).toBe(expected.replace('new', sha256('new')))
    expect(added).toMatchObject({ dropped, expiresIn: 300 })
  })

  it.each([
    ['a shorter limit of its format', 100, NOW + 100, true],
    ['a longer limit of its format', 900, NOW + 300, true],
    ['no such limit', undefined, NOW + 300, undefined],
  ])('lives as long as the server says, with %s', (_, limit, expiresAt, signed) => {
    const longest = (resources: readonly string[]) => (resources[0] === API ? limit : 1)
    const made = newAccessToken(FAMILY, fresh, NOW, { ...TERMS, longest })
    expect(made).toEqual({
      ...{ hash: sha256('new'), scopes: ['read'], resources: [API], issuedAt: NOW, expiresAt },
      ...(signed && { signed }),
    })
  })

  it('never outlives its grant', () => {
    const grant = { ...FAMILY, expiresAt: NOW + 5 }
    expect(addAccessToken(grant, fresh, NOW, TERMS).expiresIn).toBe(5)
  })

  it.each([
    ['a resource that requires it', [API], false],
    ['every resource', [], false],
    ['another resource', ['https://open.example'], true],
  ])('is refused without the proof of a key for %s', (_, resources, allowed) => {
    const make = (jkt?: string) => newAccessToken(FAMILY, { ...fresh, resources, jkt }, NOW, bound)
    const refused = expect.objectContaining({ error: 'invalid_dpop_proof', reason: 'resource_needs_proof' })
    if (allowed) expect(make()).not.toHaveProperty('jkt')
    else expect(() => make()).toThrow(refused)
    expect(make('key').jkt).toBe('key')
  })
})
