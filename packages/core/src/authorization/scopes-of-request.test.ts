import { describe, expect, it } from 'vitest'
import type { Client } from '../kernel/records.ts'
import { scopesOfRequest } from './scopes-of-request.ts'

const scopes = { 'notes:read': { description: '' }, 'notes:write': { description: '' } }
const client = (record: Partial<Client>) => record as Client

describe('a request of a self-registered client', () => {
  it.each([
    ['what it asks for, beyond what it registered', ['notes:read'], 'notes:write', ['notes:write']],
    ['the default of the server, if its scopes are gone', ['notes:gone'], undefined, ['notes:read']],
  ])('gets %s', (_, registered, scope, expected) => {
    const record = client({ origin: 'registered', scopes: registered })
    expect(scopesOfRequest(scopes, { defaultScope: 'notes:read' }, record, scope).scopes).toEqual(expected)
  })
})

describe('a request without scope', () => {
  it.each([undefined, ['notes:read', 'notes:write', 'notes:admin']])(
    'gets every scope that its client registered, but none that the server has lost since, also below the limit %j',
    (scopeLimit) => {
      const registered = ['notes:read', 'notes:gone', 'notes:write']
      const record = client({ origin: 'registered', scopes: registered, scopeLimit })
      expect(scopesOfRequest(scopes, {}, record, undefined).scopes).toEqual(['notes:read', 'notes:write'])
    },
  )

  it.each(['integration', 'document'] as const)(
    'gets the default of the server, and not the whole limit of a client of origin %s',
    (origin) => {
      const record = client({ origin, scopes: ['notes:read', 'notes:write'] })
      const read = (defaultScope?: string) => scopesOfRequest(scopes, { defaultScope }, record, undefined)
      expect(read('notes:read').scopes).toEqual(['notes:read'])
      expect(() => read()).toThrow(expect.objectContaining({ reason: 'scope_missing' }))
    },
  )
})
