import { describe, expect, it } from 'vitest'
import type { Kernel } from '../kernel/kernel.ts'
import type { Client } from '../kernel/records.ts'
import { type RequestOptions, readAuthorizationRequest, scopesOfRequest } from './authorization-request.ts'

const scopes = { 'notes:read': { description: '' }, 'notes:write': { description: '' } }
const kernel = { scopes, resources: [] } as unknown as Kernel
const client = (record: Partial<Client>) => record as Client

describe('a request without code_challenge', () => {
  const optional = { pkceOptional: true, tokenEndpointAuthMethod: 'client_secret_post' }
  const read = (record: Partial<Client>, sent: object = {}, options: Partial<RequestOptions> = {}) =>
    readAuthorizationRequest(kernel, { bindsCodes: false, ...options }, client(record), {
      ...{ response_type: 'code', scope: 'notes:read', nonce: 'n' },
      ...sent,
    })

  it('is accepted from a client with a secret that may leave it out', () => {
    expect(read(optional).challenge).toBeUndefined()
  })

  it.each([
    ['a public client, whatever its record says', { ...optional, tokenEndpointAuthMethod: 'none' }, {}, {}],
    ['a server that requires PKCE of every client', optional, {}, { pkce: 'required' }],
    ['a code_challenge_method alone', optional, { code_challenge_method: 'S256' }, {}],
  ] as const)('is refused: %s', (_, record, sent, options) => {
    const reason = 'challenge_missing'
    expect(() => read(record, sent, options)).toThrow(expect.objectContaining({ reason }))
  })
})

describe('a request without scope', () => {
  it('gets every scope that its client registered, but none that the server has lost since', () => {
    const record = client({ origin: 'registered', scopes: ['notes:read', 'notes:gone', 'notes:write'] })
    expect(scopesOfRequest(scopes, {}, record, undefined).scopes).toEqual(['notes:read', 'notes:write'])
  })
})
