import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import {
  decodedJson,
  isFor,
  isPublic,
  JWS_ALGORITHMS,
  PrivateJwk,
  PublicJwk,
  publicHalf,
  publicKeyFor,
  thumbprint,
} from './jwk.ts'
import { knownSignature, usableKeys } from './jws-signature.ts'

const EC = knownSignature('ES256').jwk
const OKP = knownSignature('EdDSA').jwk
const RSA = knownSignature('RS256').jwk
const KEYS = { ES256: EC, EdDSA: OKP, Ed25519: OKP, PS256: RSA, RS256: RSA }
const COORDINATE = 'x'.repeat(43)

describe('a public key', () => {
  it.each(JWS_ALGORITHMS)('is read for %s alone, without other members', (alg) => {
    const key = publicKeyFor(alg, { kid: 'k', ...KEYS[alg], use: 'sig' })
    expect(Object.entries(key ?? {})).toEqual(Object.entries(KEYS[alg]))
    const others = JWS_ALGORITHMS.filter((other) => KEYS[other] !== KEYS[alg])
    for (const other of others) expect(publicKeyFor(alg, KEYS[other]), other).toBeUndefined()
  })

  it.each(['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'])('is private with the member %s', (member) => {
    expect(isPublic(RSA)).toBe(true)
    expect(isPublic({ ...RSA, [member]: undefined })).toBe(false)
    expect(publicKeyFor('RS256', { ...RSA, [member]: 'x' })).toBeUndefined()
    expect(PublicJwk.safeParse({ ...RSA, [member]: 'x' }).success).toBe(false)
  })

  it.each([
    ['no object', 'ES256', undefined, false],
    ['a coordinate of 32 octets', 'ES256', { ...EC, x: COORDINATE }, true],
    ['a shorter coordinate', 'ES256', { ...EC, x: COORDINATE.slice(1) }, false],
    ['a longer coordinate', 'ES256', { ...EC, y: `${COORDINATE}x` }, false],
    ['a coordinate in base64', 'EdDSA', { ...OKP, x: `${COORDINATE.slice(1)}+` }, false],
    ['another curve', 'ES256', { ...EC, crv: 'P-384' }, false],
    ['a modulus of 2048 bits', 'RS256', { ...RSA, n: 'x'.repeat(342) }, true],
    ['a modulus of 8192 bits', 'RS256', { ...RSA, n: '_'.repeat(1366) }, true],
    ['a shorter modulus', 'RS256', { ...RSA, n: 'x'.repeat(341) }, false],
    ['a longer modulus', 'RS256', { ...RSA, n: 'x'.repeat(1367) }, false],
    ['a modulus with zeros before it', 'RS256', { ...RSA, n: `A${'x'.repeat(342)}` }, false],
    ['an exponent of six characters', 'PS256', { ...RSA, e: 'AQABAQ' }, true],
    ['an exponent of seven characters', 'PS256', { ...RSA, e: 'AQABAQA' }, false],
    ['an exponent of one character', 'PS256', { ...RSA, e: 'A' }, false],
    ['an exponent in base64', 'PS256', { ...RSA, e: 'AQ==' }, false],
  ] as const)('with %s, for %s: %o, %s', (_, alg, jwk, accepted) => {
    expect(publicKeyFor(alg, jwk) !== undefined).toBe(accepted)
  })

  it('has the thumbprint of RFC 7638 3.1', () => {
    const n =
      '0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw'
    const key = publicKeyFor('RS256', { kty: 'RSA', n, e: 'AQAB', alg: 'RS256', kid: '2011-04-29' })
    expect(key && thumbprint(key)).toBe('NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs')
  })
})

describe('a key of a client', () => {
  it.each([
    ['ES256', EC, true],
    ['ES256', { ...EC, alg: 'ES256' }, true],
    ['ES256', { ...EC, alg: 'ES384' }, false],
    ['EdDSA', { ...OKP, alg: 'EdDSA' }, true],
    ['EdDSA', { ...OKP, alg: 'Ed25519' }, true],
    ['Ed25519', { ...OKP, alg: 'EdDSA' }, true],
    ['Ed25519', { ...OKP, alg: 'ES256' }, false],
    ['Ed25519', OKP, true],
    ['ES256', OKP, false],
    ['PS256', { ...RSA, alg: 'RS256' }, false],
    ['PS256', RSA, true],
    ['PS256', EC, false],
  ] as const)('is for %s: %o, %s', (alg, jwk, expected) => {
    expect(isFor(alg, PublicJwk.parse(jwk))).toBe(expected)
  })

  it('is used only for signatures, and only if it verifies one', () => {
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2047 })
    const unusable = [
      { ...RSA, use: 'enc' },
      { ...RSA, kty: 'oct' },
      { ...RSA, d: 'x' },
      { ...RSA, kid: 'k'.repeat(201) },
      { ...RSA, alg: 'a'.repeat(21) },
      { ...EC, x: COORDINATE },
      publicKey.export({ format: 'jwk' }),
      'text',
    ]
    const named = { ...EC, kid: 'k', alg: 'ES256', use: 'sig' }
    expect(usableKeys([...unusable, { ...named, more: 1 }, OKP])).toEqual([named, OKP])
  })
})

describe('a signing key', () => {
  const key = { kty: 'EC', kid: 'k', alg: 'ES256', d: 'd', crv: 'P-256', x: 'x', y: 'y' } as const

  it.each<[string, object, boolean]>([
    ['a time from which it signs', { signsFrom: 0, iat: 0 }, true],
    ['the longest name', { kid: 'k'.repeat(200) }, true],
    ['no name', { kid: '' }, false],
    ['a longer name', { kid: 'k'.repeat(201) }, false],
    ['no private member', { d: '' }, false],
    ['a time before 1970', { signsFrom: -1 }, false],
    ['half a second', { signsFrom: 0.5 }, false],
    ['a making before 1970', { iat: -1 }, false],
    ['another type', { kty: 'oct' }, false],
    ['another algorithm', { alg: 'HS256' }, false],
  ])('has %s: %o, %s', (_, members, accepted) => {
    expect(PrivateJwk.safeParse({ ...key, ...members }).success).toBe(accepted)
  })

  it('is published without its private members and its times', () => {
    const { d: _, ...shown } = key
    expect(publicHalf({ ...key, signsFrom: 1, iat: 1, p: 'p' })).toEqual({ ...shown, use: 'sig' })
    const rsa = { kty: 'RSA', kid: 'k', alg: 'RS256', n: 'n', e: 'e' } as const
    const half = publicHalf({ ...rsa, d: 'd', q: 'q' })
    expect(half).toStrictEqual({ ...rsa, use: 'sig' })
  })
})

it('the part of a JWS that is no JSON has no value', () => {
  expect(['eyJhIjoxfQ', '', '*', 'e'].map(decodedJson)).toEqual([{ a: 1 }, undefined, undefined, undefined])
})
