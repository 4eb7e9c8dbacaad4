import { describe, expect, it } from 'vitest'
import type { HttpRequest } from '../../http/http.ts'
import { basicCredentials } from './client-authentication.ts'

const read = (authorization: string) =>
  basicCredentials({
    method: 'POST',
    path: '/',
    query: '',
    body: '',
    headers: { authorization },
  } as HttpRequest)
const encoded = (text: string | Uint8Array) => Buffer.from(text).toString('base64')

describe('Basic credentials', () => {
  it.each([
    ['as they are', 'id:secret', 'id', 'secret'],
    ['with a colon in the secret', 'id:se:cret', 'id', 'se:cret'],
    ['form-encoded (RFC 6749 appendix B)', 'a%3Ab+c:%25%26%2B%C2%A3%E2%82%AC', 'a:b c', '%&+£€'],
    ['that only look encoded', '100%:50%zz', '100%', '50%zz'],
    ['that decode to no UTF-8', '%C3%28:%ff', '%C3%28', '%ff'],
    ['in UTF-8', 'jörg:pässword', 'jörg', 'pässword'],
    ['without a secret', 'id:', 'id', undefined],
  ])('CA-13: are read %s', (_, text, client_id, client_secret) => {
    expect(read(`Basic ${encoded(text)}`)).toEqual({ client_id, client_secret })
  })

  it.each(['basic', 'BASIC', 'bAsIc', 'Basic  '])('CA-13: are read after the scheme %s', (scheme) => {
    expect(read(`${scheme} ${encoded('id:secret')}`)?.client_id).toBe('id')
  })

  it.each(['', 'Bearer aWQ6eA==', 'Basicly aWQ6eA==', 'X-Basic aWQ6eA==', 'Basic aWQ6eA==\nx', 'DPoP x'])(
    'are not in %j',
    (header) => {
      expect(read(header)).toBeUndefined()
    },
  )

  it.each([
    ['no credentials', 'Basic'],
    ['no credentials after a space', 'Basic '],
    ['no base64', 'Basic ***'],
    ['base64 without its padding', 'Basic aWQ6eA'],
    ['base64 of the URL alphabet', `Basic ${encoded('id:?>?>').replaceAll('/', '_')}`],
    ['base64 with bits left over', 'Basic aWQ6eB=='],
    ['base64 with a space in it', 'Basic aWQ6 eA=='],
    ['two of them, joined', `Basic ${encoded('a:b')}, Basic ${encoded('c:d')}`],
    ['no colon', `Basic ${encoded('id')}`],
    ['no client', `Basic ${encoded(':secret')}`],
    ['no client before a colon and a pair', `Basic ${encoded(':id:secret')}`],
    ['nothing but a colon', `Basic ${encoded(':')}`],
    ['bytes that are not UTF-8', `Basic ${encoded(Uint8Array.of(105, 58, 0xff, 0xfe))}`],
    ['control characters', `Basic ${encoded('id\r\n:x')}`],
    ['encoded control characters', `Basic ${encoded('id:%00')}`],
    ['a delete character', `Basic ${encoded('id:\x7f')}`],
  ])('CA-14: are malformed: %s', (_, header) => {
    const expected = { status: 401, error: 'invalid_client', reason: 'client_basic_malformed' }
    expect(() => read(header)).toThrow(expect.objectContaining(expected))
  })
})
