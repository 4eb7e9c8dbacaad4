import { createHash, createPublicKey, verify } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { dpopProof, newDpopKey } from './dpop-proof.ts'

const key = newDpopKey()
const REQUEST = { method: 'POST', url: 'https://as.example/token?a=1#b' }

function read(proof: string) {
  const [header = '', claims = ''] = proof.split('.')
  return [header, claims].map((part) => JSON.parse(String(Buffer.from(part, 'base64url'))))
}

describe('a DPoP proof', () => {
  test('is signed by the key in its header, which is the public one', () => {
    const proof = dpopProof({ key }, REQUEST, undefined)
    const [{ jwk, ...header }] = read(proof)
    expect(header).toEqual({ alg: 'ES256', typ: 'dpop+jwt' })
    expect(Object.keys(jwk)).toEqual(['kty', 'crv', 'x', 'y'])
    const [signed = '', signature = ''] = [proof.slice(0, proof.lastIndexOf('.')), proof.split('.')[2]]
    const publicKey = createPublicKey({ key: jwk, format: 'jwk' })
    const readable = { key: publicKey, dsaEncoding: 'ieee-p1363' } as const
    expect(verify('sha256', Buffer.from(signed), readable, Buffer.from(signature, 'base64url'))).toBe(true)
  })

  test('names the request without its query, and has an identifier of its own', () => {
    const [one, other] = [1, 2].map(() => read(dpopProof({ key }, REQUEST, undefined))[1])
    expect(one).toMatchObject({ htm: 'POST', htu: 'https://as.example/token' })
    expect(other.jti).not.toBe(one.jti)
  })

  test('names the access token by its hash, and the nonce', () => {
    const [, claims] = read(dpopProof({ key, token: 'abc' }, REQUEST, 'n'))
    expect(claims).toMatchObject({ ath: createHash('sha256').update('abc').digest('base64url'), nonce: 'n' })
  })
})
