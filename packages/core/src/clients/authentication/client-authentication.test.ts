import { describe, expect, it } from 'vitest'
import type { HttpRequest } from '../../http/http.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { Client } from '../../kernel/records.ts'
import {
  authenticatedClient,
  type ClientAuthMethod,
  clientSecretPost,
  none,
  proofReader,
  secretVerifier,
} from './client-authentication.ts'

const NOW = 1_800_000_000
const kernel = { now: () => 0, emit: () => {}, store: {} } as unknown as Kernel
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

/** A method with a header that the proxy sets. */
const certificate: ClientAuthMethod = {
  ...badge,
  name: 'certificate',
  carrier: { header: 'X-Client-Cert' },
}

describe('what a request presents', () => {
  const read = proofReader([none, post, badge, certificate])

  it.each([
    ['nothing', {}, {}, 'none'],
    ['a secret', {}, { client_secret: 'x' }, 'client_secret_post'],
    ['what a method of a feature reads', {}, { badge: 'x' }, 'badge'],
    ['the header of a method, in any case', { 'x-client-cert': 'x' }, {}, 'certificate'],
    ['the header of a method without a value', { 'x-client-cert': '' }, {}, 'none'],
    ['a parameter with the name of the header', {}, { 'x-client-cert': 'x' }, 'none'],
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
    ['a secret next to the header of a method', { 'x-client-cert': 'x' }, { client_secret: 'x' }],
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
    expect(() => authenticatedClient(presented, client, NOW)).toThrow(expect.objectContaining({ reason }))
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
    const check = async () => authenticatedClient({ method: 'badge', proof }, client, NOW)
    await expect(check()).rejects.toMatchObject({ reason: 'client_proof_invalid' })
  })

  it('is refused if it is registered for what no method reads', () => {
    const unread = proofReader([none])(request({ authorization: 'Bearer x' }), { client_id: 'c' })
    const client = { tokenEndpointAuthMethod: 'unsupported' } as Client
    const reason = 'client_proof_invalid'
    expect(() => authenticatedClient(unread, client, NOW)).toThrow(expect.objectContaining({ reason }))
  })

  it('is not identified without a client_id', () => {
    const unnamed = proofReader([none])(request(), {})
    const client = { tokenEndpointAuthMethod: 'none' } as Client
    const reason = 'client_not_identified'
    for (const found of [undefined, client])
      expect(() => authenticatedClient(unnamed, found, NOW)).toThrow(expect.objectContaining({ reason }))
  })

  it.each([
    ['another method of its document', 'none', ['badge'], 'badge', 'badge'],
    ['the other way to send its secret', 'client_secret_basic', undefined, 'client_secret_post', undefined],
    ['its registered method', 'badge', ['client_secret_post'], 'badge', undefined],
  ])('counts as what it proved by %s', (_, registered, otherAuthMethods, method, changed) => {
    const client = { tokenEndpointAuthMethod: registered, otherAuthMethods } as Client
    const proof = { clientId: 'c', verify: () => true }
    const authenticated = authenticatedClient({ method, proof }, client, NOW)
    expect(authenticated).toEqual({ ...client, tokenEndpointAuthMethod: changed ?? registered })
  })

  it('is not verified if it is unknown', () => {
    const verify = () => expect.fail('There is no client to verify')
    expect(() =>
      authenticatedClient({ method: 'none', proof: { clientId: 'c', verify } }, undefined, NOW),
    ).toThrow(expect.objectContaining({ reason: 'client_unknown' }))
  })
})
