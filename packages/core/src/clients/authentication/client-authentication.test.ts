import { describe, expect, it } from 'vitest'
import type { HttpRequest } from '../../http/http.ts'
import type { Client } from '../../kernel/records.ts'
import { authenticatedClient, type ClientAuthMethod, proofReader } from './client-authentication.ts'
import { secretVerifier } from './client-secret.ts'
import { clientSecretPost, none } from './standard-methods.ts'

const kernel = { now: () => 0, emit: () => {}, store: {} as never }
const post = clientSecretPost(secretVerifier(kernel))

const request = (headers: HttpRequest['headers'] = {}): HttpRequest => ({
  method: 'POST',
  path: '/token',
  query: '',
  headers,
  body: '',
})

/** An invented method with a parameter of its own. */
const badge: ClientAuthMethod = {
  name: 'badge',
  carrier: 'badge',
  read: (_request, { client_id }) => ({ clientId: client_id, verify: () => true }),
}

describe('what a request presents', () => {
  const read = proofReader([none, post, badge])

  it.each([
    ['nothing', {}, {}, 'none'],
    ['a secret', {}, { client_secret: 'x' }, 'client_secret_post'],
    ['what a method of a feature reads', {}, { badge: 'x' }, 'badge'],
    ['Basic, which no method reads', { authorization: `Basic ${btoa('c:x')}` }, {}, 'unsupported'],
    ['Basic without a secret', { authorization: `Basic ${btoa('c:')}` }, {}, 'none'],
    ['another scheme', { authorization: 'Bearer x' }, {}, 'unsupported'],
    ['an assertion that no method reads', {}, { client_assertion: 'x' }, 'unsupported'],
    ['the type of an assertion alone', {}, { client_assertion_type: 'x' }, 'unsupported'],
  ])('%s', (_, headers, form, method) => {
    expect(read(request(headers), { client_id: 'c', ...form }).method).toBe(method)
  })

  it.each([
    ['a secret next to a header', { authorization: 'Basic eDp5' }, { client_secret: 'x' }],
    ['a secret next to an assertion', {}, { client_secret: 'x', client_assertion: 'x' }],
    ['two things that methods read', {}, { client_secret: 'x', badge: 'x' }],
    ['the credential of a feature next to a header', { authorization: 'Basic eDp5' }, { badge: 'x' }],
  ])('is refused if it is %s', (_, headers, form) => {
    const expected = { error: 'invalid_request', reason: 'client_auth_methods_mixed' }
    expect(() => read(request(headers), { client_id: 'c', ...form })).toThrow(
      expect.objectContaining(expected),
    )
  })
})

describe('a client', () => {
  const presented = proofReader([none, post])(request(), { client_id: 'c', client_secret: 'x' })

  it('is refused with any secret if its record has no hash', () => {
    const client = { tokenEndpointAuthMethod: 'client_secret_post' } as Client
    const reason = 'client_secret_wrong'
    expect(() => authenticatedClient(presented, client)).toThrow(expect.objectContaining({ reason }))
  })

  it.each([
    ['false', false],
    ['a promise of false', Promise.resolve(false)],
    ['nothing', undefined],
    ['a promise of nothing', Promise.resolve(undefined)],
    ['a truthy value', 'yes'],
  ])('is refused if its proof answers %s', async (_, answer) => {
    const client = { tokenEndpointAuthMethod: 'badge' } as Client
    const proof = { clientId: 'c', verify: () => answer as boolean }
    const check = async () => authenticatedClient({ method: 'badge', proof }, client)
    await expect(check()).rejects.toMatchObject({ reason: 'client_proof_invalid' })
  })

  it('is not verified if it is unknown', () => {
    const verify = () => expect.fail('There is no client to verify')
    expect(() =>
      authenticatedClient({ method: 'none', proof: { clientId: 'c', verify } }, undefined),
    ).toThrow(expect.objectContaining({ reason: 'client_unknown' }))
  })
})
