import { describe, expect, it } from 'vitest'
import type { Kernel } from '../kernel/kernel.ts'
import type { Client } from '../kernel/records.ts'
import { parametersOf, type RequestOptions, readAuthorizationRequest } from './authorization-request.ts'
import { QUERY } from './response-mode.ts'

const kernel = {
  scopes: { openid: { description: '' }, 'notes:read': { description: '' } },
  resources: [],
} as unknown as Kernel
const parameters = parametersOf({ bindsCodes: false })
const redirectUri = 'http://127.0.0.1/cb'
const target = (record: Partial<Client>) => ({
  ...{ client: record as Client, redirectUri, responseMode: QUERY },
})

describe('a request without code_challenge', () => {
  const optional = { pkceOptional: true, tokenEndpointAuthMethod: 'client_secret_post' }
  const read = (record: Partial<Client>, sent: object = {}, options: Partial<RequestOptions> = {}) =>
    readAuthorizationRequest(kernel, { parameters, ...options }, target(record), {
      ...{ response_type: 'code', scope: 'notes:read', nonce: 'n' },
      ...sent,
    })

  it('is accepted from a client with a secret that may leave it out', () => {
    expect(read(optional, { scope: 'openid' }).challenge).toBeUndefined()
  })

  it.each([
    ['a public client, whatever its record says', { ...optional, tokenEndpointAuthMethod: 'none' }, {}, {}],
    ['a server that requires PKCE of every client', optional, {}, { pkce: 'required' }],
    ['a code_challenge_method alone', optional, { code_challenge_method: 'S256' }, {}],
  ] as const)('is refused: %s', (_, record, sent, options) => {
    const reason = 'challenge_missing'
    expect(() => read(record, sent, options)).toThrow(expect.objectContaining({ reason }))
  })

  const reading = (scope: string, nonce: string | undefined, record: Partial<Client> = optional) =>
    expect(() => read(record, { scope, nonce }))

  it('needs openid and a nonce in its place (OAuth 2.1 7.5.1)', () => {
    reading('openid notes:read', 'n').not.toThrow()
    const missing = expect.objectContaining({ reason: 'challenge_and_nonce_missing' })
    reading('openid notes:read', undefined).toThrow(missing)
    reading('notes:read', 'n').toThrow(missing)
    reading('notes:read', undefined).toThrow(missing)
  })

  it('may lack both from a client that may leave out the nonce too, with a secret and under no profile', () => {
    const neither = { ...optional, nonceOptional: true }
    for (const scope of ['openid notes:read', 'notes:read']) reading(scope, undefined, neither).not.toThrow()
    reading('openid', undefined, { ...neither, tokenEndpointAuthMethod: 'none' }).toThrow()
    reading('openid', undefined, { ...neither, pkceOptional: false }).toThrow()
    expect(() => read(neither, { nonce: undefined }, { pkce: 'required' })).toThrow()
  })

  it('is no way around S256: a challenge without a method is not dropped, but refused', () => {
    const reason = 'challenge_method_unsupported'
    expect(() => read(optional, { code_challenge: 'c'.repeat(43) })).toThrow(
      expect.objectContaining({ reason }),
    )
  })
})

it('a request without response_type is invalid; the server supports no other response type than code', () => {
  const reading = (more: object) => {
    const sent = { scope: 'notes:read', ...more }
    const read = () => readAuthorizationRequest(kernel, { parameters }, target({}), sent)
    return expect(read)
  }
  reading({}).toThrow(expect.objectContaining({ error: 'invalid_request', reason: 'response_type_missing' }))
  reading({ response_type: 'token' }).toThrow(expect.objectContaining({ error: 'unsupported_response_type' }))
})
