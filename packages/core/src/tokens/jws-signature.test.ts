import { constants, createSign, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { jwtVerify } from 'jose'
import { describe, expect, it } from 'vitest'
import { JWS_ALGORITHMS, type PublicKeyMembers } from './jwk.ts'
import { requireVerifiable, signatureCheck } from './jws-signature.ts'
import { knownSignature } from './known-signatures.ts'

const jwkOf = (key: KeyObject) => key.export({ format: 'jwk' }) as unknown as PublicKeyMembers

describe('a known signature', () => {
  it.each(JWS_ALGORITHMS)('by %s is valid', async (alg) => {
    const { jwk, signed, signature } = knownSignature(alg)
    const check = signatureCheck(alg, jwk)
    expect(check?.(Buffer.from(signed), Buffer.from(signature, 'base64url'))).toBe(true)
    expect(check?.(Buffer.from(`${signed}x`), Buffer.from(signature, 'base64url'))).toBe(false)
    expect((await jwtVerify(`${signed}.${signature}`, { ...jwk })).payload).toEqual({})
  })
})

describe('a signature by ES256', () => {
  const { privateKey: key, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const check = signatureCheck('ES256', jwkOf(publicKey))
  const signatureOf = (signed: Buffer) => sign('sha256', signed, { key, dsaEncoding: 'ieee-p1363' })

  // DER leaves a zero out, unless it is needed for the sign.
  const isShort = (first?: number, second?: number) => first === 0 && Number(second) < 0x80
  const isJustHigh = (first?: number) => first === 0x80

  it.each([
    ['R', 'is short', 0, isShort],
    ['S', 'is short', 32, isShort],
    ['R', 'only just needs a sign', 0, isJustHigh],
  ])('is valid also if its %s %s', (_, __, start, isSpecial) => {
    for (let count = 0; ; count++) {
      const signed = Buffer.from(`text ${count}`)
      const signature = signatureOf(signed)
      const found = isSpecial(signature[start], signature[start + 1])
      if (!found && count > 20) continue
      expect(check?.(signed, signature), signature.toString('hex')).toBe(true)
      if (found) break
    }
  })

  it('has 64 octets, and no other form', () => {
    const signed = Buffer.from('text')
    const signature = signatureOf(signed)
    const longer = Buffer.concat([signature, Buffer.of(0)])
    for (const other of [signature.subarray(1), longer, Buffer.alloc(64), sign('sha256', signed, key)])
      expect(check?.(signed, other)).toBe(false)
  })
})

it('PS256 takes no signature of PKCS #1 v1.5, and no salt of another length', () => {
  const { privateKey: key, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const check = signatureCheck('PS256', jwkOf(publicKey))
  const padding = constants.RSA_PKCS1_PSS_PADDING
  const signed = Buffer.from('text')
  const salted = (saltLength: number) =>
    createSign('sha256').update(signed).sign({ key, padding, saltLength })
  expect([32, 0, 20].map((length) => check?.(signed, salted(length)))).toEqual([true, false, false])
  expect(check?.(signed, sign('sha256', signed, key))).toBe(false)
})

it('blames what was presented if this runtime can verify the algorithm', () => {
  for (const alg of JWS_ALGORITHMS) expect(() => requireVerifiable(alg, new Error('bad key'))).not.toThrow()
})
