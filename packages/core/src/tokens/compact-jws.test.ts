import { generateKeyPairSync } from 'node:crypto'
import { expect, it } from 'vitest'
import { defineErrors } from '../kernel/oauth-error.ts'
import { isSignedBy, type JwtErrors, readJws, requireTimes } from './compact-jws.ts'
import type { PublicKeyMembers } from './jwk.ts'
import { knownSignature } from './jws-signature.ts'

const encoded = (text: string) => Buffer.from(text).toString('base64url')
const jwsOf = (header: string, payload: string) => `${encoded(header)}.${encoded(payload)}.c2ln`

it('a text that is no JWS is none', () => {
  for (const text of ['', 'a.b', 'a.b.c', jwsOf('1', '{}'), `${jwsOf('{}', '{}')}.x`])
    expect(readJws(text), text).toBeUndefined()
})

it.each(['null', '[]', '1', '"text"', 'no JSON'])('a payload of %s has no claims', (payload) => {
  expect(readJws(jwsOf('{"alg":"ES256"}', payload))).toMatchObject({
    header: { alg: 'ES256' },
    claims: undefined,
  })
})

it('a payload that is an object has its claims', () => {
  expect(readJws(jwsOf('{}', '{"sub":"alice"}'))).toEqual({
    ...{ header: {}, claims: { sub: 'alice' } },
    ...{ signed: `${encoded('{}')}.${encoded('{"sub":"alice"}')}`, signature: 'c2ln' },
  })
})

it('a key is imported once, however many signatures it verifies', () => {
  const { jwk, signed, signature } = knownSignature('ES256')
  let reads = 0
  const key = Object.defineProperty({ ...jwk, kid: 'counted' }, 'x', {
    enumerable: true,
    get: () => ++reads && (jwk as { x?: string }).x,
  }) as PublicKeyMembers
  const jws = readJws(`${signed}.${signature}`)
  if (jws === undefined) throw new Error('the known signature is no JWS')
  const readsOf = (text: typeof jws) => {
    const before = reads
    return [isSignedBy(key, 'ES256', text), reads - before]
  }
  const [valid, first] = readsOf(jws)
  const [stillValid, second] = readsOf(jws)
  expect([valid, stillValid]).toEqual([true, true])
  // It is read for its name in the cache each time.
  expect([first, second]).toEqual([2, 1])
  expect(readsOf({ ...jws, signed: `${signed}x` })).toEqual([false, 1])
})

it('an RSA key of 1024 bits verifies nothing', () => {
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 1024 })
  const jws = readJws(jwsOf('{}', '{}'))
  expect(jws && isSignedBy(publicKey.export({ format: 'jwk' }) as PublicKeyMembers, 'RS256', jws)).toBe(false)
})

const ERRORS = defineErrors({
  endless: ['invalid_grant', ''],
  claims: ['invalid_grant', ''],
}) as unknown as JwtErrors

it.each([
  ['exp alone', { exp: 'x' }, 'endless'],
  ['exp and iat', { exp: 'x', iat: 'x' }, 'endless'],
  ['iat', { exp: 1, iat: 'x' }, 'claims'],
  ['nbf', { exp: 1, nbf: -1 }, 'claims'],
])('the fault of a JWT with a wrong %s is named', (_, claims, reason) => {
  expect(() => requireTimes(claims, 0, ERRORS)).toThrow(expect.objectContaining({ reason }))
})
