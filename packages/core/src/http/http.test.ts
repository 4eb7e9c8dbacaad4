import { describe, expect, it } from 'vitest'
import { addressOf, basePathOf, endpointPath, wellKnownAddress } from './endpoint.ts'
import { type HttpRequest, header, nativeRequest, nodeHeaders, publicDocument } from './http.ts'

const requestWith = (headers: HttpRequest['headers'], native?: unknown): HttpRequest => {
  return { method: 'GET', path: '/', query: '', body: '', headers, native }
}

describe('the headers of Node', () => {
  const parsed = { authorization: 'Bearer a', host: 'x' }

  it.each([
    [['Host', 'x', 'Authorization', 'Bearer a'], 'Bearer a'],
    [
      ['Authorization', 'Bearer a', 'AUTHORIZATION', 'Bearer b'],
      ['Bearer a', 'Bearer b'],
    ],
    [['X-Says', 'authorization', 'Authorization', 'Bearer a'], 'Bearer a'],
  ])('with the lines %j have all lines of Authorization: %j', (rawHeaders, authorization) => {
    expect(nodeHeaders({ headers: parsed, rawHeaders })).toEqual({ ...parsed, authorization })
  })

  it('without Authorization stay as they are', () => {
    const headers = { host: 'x' }
    expect(nodeHeaders({ headers, rawHeaders: ['Authorization', 'a', 'Authorization', 'b'] })).toBe(headers)
  })

  it('that come twice are one text', () => {
    const request = requestWith({ one: 'a', two: ['a', 'b'] })
    expect(['one', 'two', 'none'].map((name) => header(request, name))).toEqual(['a', 'a, b', undefined])
  })
})

describe('a public document', () => {
  const answer = publicDocument({ issuer: 'https://x' }, 60)
  const full = answer(requestWith({}))
  const etag = String(full.headers.etag)

  it('may be cached, for an hour by default', () => {
    expect(full).toMatchObject({ status: 200, body: '{"issuer":"https://x"}' })
    expect(full.headers).toEqual({
      'content-type': 'application/json',
      'x-content-type-options': 'nosniff',
      'cache-control': 'public, max-age=60',
      etag: expect.stringMatching(/^"[\w-]+"$/),
    })
    expect(publicDocument({})(requestWith({})).headers['cache-control']).toBe('public, max-age=3600')
  })

  it.each([
    [etag, 304],
    [`W/${etag}`, 304],
    [`"other" ,  ${etag}`, 304],
    ['*', 304],
    ['"other"', 200],
    ['', 200],
  ])('is sent again for If-None-Match: %s only if it has changed (%d)', (known, status) => {
    const { body, ...answered } = answer(requestWith({ 'if-none-match': known }))
    expect([answered.status, answered.headers.etag, body === '']).toEqual([status, etag, status === 304])
  })
})

it('the request of the framework is there, or the fault is named', () => {
  const native = {}
  expect(nativeRequest(requestWith({}, native))).toBe(native)
  expect(() => nativeRequest(requestWith({}))).toThrow('testClient()')
})

describe('the address of a document', () => {
  it.each([
    ['https://x', '', 'https://x/.well-known/a', 'https://x/token'],
    ['https://x/', '', 'https://x/.well-known/a', 'https://x/token'],
    ['https://x:8443/auth', '/auth', 'https://x:8443/.well-known/a/auth', 'https://x:8443/auth/token'],
    ['http://x/auth/', '/auth', 'http://x/.well-known/a/auth', 'http://x/auth/token'],
  ])('of %s begins with the host, and ends with the path', (issuer, base, wellKnown, address) => {
    expect([basePathOf(issuer), wellKnownAddress('a', issuer), addressOf(issuer, '/token')]).toEqual([
      base,
      wellKnown,
      address,
    ])
  })

  it.each(['token', '', '/a?b', '/a#b', '/a b'])('cannot be the path %j', (path) => {
    expect(() => endpointPath('token', path, '/token')).toThrow('paths.token')
  })

  it('has a default, and may be the root', () => {
    expect([endpointPath('a', undefined, '/token'), endpointPath('a', '/', '/token')]).toEqual([
      '/token',
      '/',
    ])
  })
})
