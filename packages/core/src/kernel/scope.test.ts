import { describe, expect, it } from 'vitest'
import type { Client } from './records.ts'
import { narrowedScopes, parseScope, requestedScopes, scopesOfRequest } from './scope.ts'

const catalogue = {
  openid: { description: '' },
  'courses:read': { description: '' },
  'courses:write': { description: '' },
}

describe('parseScope', () => {
  it('reads 4000 characters and not one more', () => {
    expect(parseScope('x'.repeat(4000))).toHaveLength(1)
    expect(parseScope('x'.repeat(4001))).toBeUndefined()
  })

  it('drops repeats and keeps the order', () => {
    expect(parseScope('b a b')).toEqual(['b', 'a'])
  })

  it.each(['', ' ', 'a  b', ' a', 'a ', 'a\tb', 'a\nb', 'a"b', 'a\\b', 'ä', 'a\0', 'a '.repeat(2001)])(
    'refuses %j',
    (scope) => {
      expect(parseScope(scope)).toBeUndefined()
    },
  )
})

describe('requestedScopes', () => {
  it('gives the names that exist and are registered', () => {
    expect(requestedScopes('courses:read openid', catalogue)).toEqual(['courses:read', 'openid'])
  })

  it.each([
    ['courses:read nope', 'scope_unknown'],
    ['courses:readx', 'scope_unknown'],
    ['courses', 'scope_unknown'],
    ['courses:', 'scope_unknown'],
    ['COURSES:READ', 'scope_unknown'],
    ['*', 'scope_unknown'],
    ['courses:read\nopenid', 'scope_malformed'],
    ['constructor', 'scope_unknown'],
    ['__proto__', 'scope_unknown'],
    ['a  b', 'scope_malformed'],
    ['courses:write', 'scope_not_registered'],
  ])('PR-07: a scope is known by its whole name only: %j', (scope, reason) => {
    const refused = () => requestedScopes(scope, catalogue, ['openid', 'courses:read'])
    expect(refused).toThrow(expect.objectContaining({ reason }))
  })

  it('names the first scope that does not exist, up to 100 characters of it', () => {
    const scope = 'x'.repeat(100)
    const refused = () => requestedScopes(`openid ${scope}y nope`, catalogue)
    expect(refused).toThrow(expect.objectContaining({ parameters: { scope } }))
  })
})

describe('narrowedScopes', () => {
  const granted = ['openid', 'courses:read']
  const withheld = ['courses:write']

  it.each([
    [undefined, granted],
    ['courses:read', ['courses:read']],
    ['courses:write courses:read openid', granted],
  ])('%j -> %j', (scope, expected) => {
    expect(narrowedScopes(scope, granted, withheld)).toEqual(expected)
  })

  it.each([
    ['courses:read students:read', 'scope_not_granted'],
    ['courses:read courses:write students:read', 'scope_not_granted'],
    ['courses:write', 'scope_not_granted'],
    ['  ', 'scope_malformed'],
  ])('refuses %j: %s', (scope, reason) => {
    expect(() => narrowedScopes(scope, granted, withheld)).toThrow(expect.objectContaining({ reason }))
  })

  it('returns the stored list itself for all of it, so that no token keeps another', () => {
    expect(narrowedScopes('courses:read openid', granted)).toBe(granted)
  })

  it('rejects the requested scopes, if the user withheld none', () => {
    const reason = 'scope_not_granted'
    expect(() => narrowedScopes('courses:write', granted)).toThrow(expect.objectContaining({ reason }))
  })
})

describe('a request of a self-registered client', () => {
  it.each([
    ['what it asks for, beyond what it registered', ['courses:read'], 'courses:write', ['courses:write']],
    ['the default of the server, if its scopes are gone', ['courses:gone'], undefined, ['courses:read']],
  ])('gets %s', (_, registered, scope, expected) => {
    const record = { origin: 'registered', scopes: registered } as Partial<Client> as Client
    const { scopes } = scopesOfRequest(catalogue, { defaultScope: 'courses:read' }, record, scope)
    expect(scopes).toEqual(expected)
  })
})

describe('a request without scope', () => {
  it.each([undefined, ['courses:read', 'courses:write', 'courses:admin']])(
    'gets every scope that its client registered, but none that the server has lost since, also below the limit %j',
    (scopeLimit) => {
      const scopes = ['courses:read', 'courses:gone', 'courses:write']
      const record = { origin: 'registered', scopes, scopeLimit } as Partial<Client> as Client
      expect(scopesOfRequest(catalogue, {}, record, undefined).scopes).toEqual(scopes.toSpliced(1, 1))
    },
  )

  it.each(['integration', 'document'] as const)(
    'gets the default of the server, and not the whole limit of a client of origin %s',
    (origin) => {
      const record = { origin, scopes: ['courses:read', 'courses:write'] } as Partial<Client> as Client
      const read = (defaultScope?: string) => scopesOfRequest(catalogue, { defaultScope }, record, undefined)
      expect(read('courses:read').scopes).toEqual(['courses:read'])
      expect(() => read()).toThrow(expect.objectContaining({ reason: 'scope_missing' }))
    },
  )
})
