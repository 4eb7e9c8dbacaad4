import { describe, expect, it } from 'vitest'
import type { Kernel } from '../kernel/kernel.ts'
import type { Client } from '../kernel/records.ts'
import { type RequestOptions, readAuthorizationRequest } from './authorization-request.ts'

const kernel = { scopes: { 'notes:read': { description: '' } }, resources: [] } as unknown as Kernel
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

  it('is no way around S256: a challenge without a method is not dropped, but refused', () => {
    const reason = 'challenge_method_unsupported'
    expect(() => read(optional, { code_challenge: 'c'.repeat(43) })).toThrow(
      expect.objectContaining({ reason }),
    )
  })
})

it('a request without response_type is invalid; the server supports no other response type than code', () => {
  const reading = (sent: object) => {
    const parameters = { scope: 'notes:read', ...sent }
    const read = () => readAuthorizationRequest(kernel, { bindsCodes: false }, client({}), parameters)
    return expect(read)
  }
  reading({}).toThrow(expect.objectContaining({ error: 'invalid_request', reason: 'response_type_missing' }))
  reading({ response_type: 'token' }).toThrow(expect.objectContaining({ error: 'unsupported_response_type' }))
})
