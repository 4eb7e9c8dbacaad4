import { describe, expect, it } from 'vitest'
import { lifetime } from './kernel.ts'
import { defineErrors, OAuthError, ownedBy, SERVER_ERRORS } from './oauth-error.ts'
import { checkedResource, coversResources } from './resource-indicator.ts'

const ERRORS = defineErrors({
  known: ['access_denied', 'Denied'],
  own_status: ['access_denied', 'Denied', 429],
  new_code: ['code_of_a_feature', 'Denied'],
})

describe('an error', () => {
  it.each([
    [ERRORS.known, 403],
    [ERRORS.own_status, 429],
    [ERRORS.new_code, 400],
  ])('has the status of its code, its own one, or 400: %j', (definition, status) => {
    expect(new OAuthError(definition)).toMatchObject({
      name: 'OAuthError',
      status,
      interim: false,
      facts: {},
    })
  })

  it.each([
    [SERVER_ERRORS.store_unavailable, undefined, 1],
    [SERVER_ERRORS.store_unavailable, 9, 9],
    [ERRORS.known, undefined, undefined],
    [ERRORS.known, 9, 9],
  ])('%j names the seconds to wait: given %s, %s', (definition, given, retryAfter) => {
    expect(new OAuthError(definition, undefined, { retryAfter }).retryAfter).toBe(retryAfter)
    expect(new OAuthError(definition, undefined, { retryAfter: given }).retryAfter).toBe(retryAfter)
  })

  it('has a description that HTTP can carry (RFC 6749 5.2)', () => {
    expect(new OAuthError(ERRORS.known, 'say "ü\\"\n').message).toBe("say '?''?")
  })

  it('tells its reference to the client, in a copy', () => {
    const cause = new Error('why')
    const error = new OAuthError(ERRORS.known, undefined, {
      cause,
      interim: true,
      ...ownedBy({ clientId: 'app' }),
    })
    const shown = error.withReference('ABCD-EFGH')
    expect(shown).toBeInstanceOf(OAuthError)
    expect(shown).toMatchObject({ cause, interim: true, facts: { expected: ['app'] }, reason: 'known' })
    const said = { error: 'access_denied', error_description: 'Denied (ref ABCD-EFGH)' }
    expect(shown.toJSON()).toEqual({ ...said, reference: 'ABCD-EFGH' })
    expect(error.toJSON()).toEqual({ error: 'access_denied', error_description: 'Denied' })
  })
})

it.each([
  [undefined, 600],
  [1, 1],
  [0, 'at least 1'],
  [1.5, 'whole number'],
])('a lifetime of %s is %s', (option, expected) => {
  const read = () => lifetime('code', option, 600)
  if (typeof expected === 'string') expect(read).toThrow(expected)
  else expect(read()).toBe(expected)
})

it('a resource is an absolute URI without a fragment (RFC 8707 2)', () => {
  expect(checkedResource('resource', 'https://notes.example/')).toBe('https://notes.example')
  expect(() => checkedResource('resource', '/notes')).toThrow('resource must be an absolute URI')
  expect(() => checkedResource('resource', 'https://notes.example/#x')).toThrow(
    'resource must have no fragment',
  )
})

it('a grant of one resource does not cover a request for all of them', () => {
  expect([
    coversResources(['a'], [], ['a']),
    coversResources([], [], ['a']),
    coversResources([], ['a'], ['a']),
  ]).toEqual([false, true, true])
})
