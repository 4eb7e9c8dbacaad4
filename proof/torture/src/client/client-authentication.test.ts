import { generateKeyPairSync, verify } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { authenticate } from './client-authentication.ts'

describe('client authentication', () => {
  test('form-encodes both parts of Basic credentials (RFC 6749 section 2.3.1)', () => {
    const { headers } = authenticate({ id: 'a b', secret: 'c:d', method: 'basic' }, '')
    const [, credentials = ''] = (headers.authorization ?? '').split(' ')
    expect(String(Buffer.from(credentials, 'base64'))).toBe('a+b:c%3Ad')
  })

  test('signs an assertion for the issuer, with an identifier of its own', () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const key = privateKey.export({ format: 'jwk' })
    const assertions = [1, 2].map(
      () =>
        authenticate({ id: 'app', method: 'private_key_jwt', key }, 'https://as').fields.client_assertion ??
        '',
    )
    const [first = '', second] = assertions
    const [header = '', claims = '', signature = ''] = first.split('.')
    const signed = Buffer.from(`${header}.${claims}`)
    const readable = { key: publicKey, dsaEncoding: 'ieee-p1363' } as const
    expect(verify('sha256', signed, readable, Buffer.from(signature, 'base64url'))).toBe(true)
    expect(JSON.parse(String(Buffer.from(claims, 'base64url')))).toMatchObject({
      sub: 'app',
      aud: 'https://as',
    })
    expect(second).not.toBe(first)
  })
})
