import { constants, createSign, generateKeyPairSync, KeyObject, sign, Verify } from 'node:crypto'
import { jwtVerify } from 'jose'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { JWS_ALGORITHMS, type JwsAlgorithm, type PublicKeyMembers } from './jwk.ts'
import { knownSignature, requireVerifiable, requireWrongSignature, signatureCheck } from './jws-signature.ts'

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
    const zeros = [0, 32].map((start) => Buffer.from(signature).fill(0, start, start + 32))
    const others = [signature.subarray(1), longer, ...zeros, Buffer.alloc(64), sign('sha256', signed, key)]
    for (const other of others) expect(check?.(signed, other)).toBe(false)
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

describe('PS256 at a runtime', () => {
  afterEach(() => void vi.restoreAllMocks())

  it.each([
    ['that takes a key object together with options: it is imported once', true],
    ['that takes none: its key is imported for each signature', false],
  ])('%s', async (_, takesObjects) => {
    vi.resetModules()
    const keys: string[] = []
    const { verify } = Verify.prototype
    vi.spyOn(Verify.prototype, 'verify').mockImplementation(function (this: Verify, options, signature) {
      const { key } = options as { key: unknown }
      keys.push(key instanceof KeyObject ? 'object' : 'JWK')
      if (key instanceof KeyObject && !takesObjects) throw new Error('not implemented here')
      return verify.call(this, options, signature as never)
    })
    const { signatureCheck } = await import('./jws-signature.ts')
    const { knownSignature } = await import('./jws-signature.ts')
    const holds = (alg: JwsAlgorithm) => {
      const { jwk, signed, signature } = knownSignature(alg)
      return signatureCheck(alg, jwk)?.(Buffer.from(signed), Buffer.from(signature, 'base64url'))
    }
    expect([holds('PS256'), holds('PS256')]).toEqual([true, true])
    const used = takesObjects ? 'object' : 'JWK'
    expect(keys, 'one attempt, and two signatures').toEqual(['object', used, used])
    expect(JWS_ALGORITHMS.filter((alg) => !holds(alg))).toEqual([])
  })
})

it('blames what was presented if this runtime can verify the algorithm', () => {
  for (const alg of JWS_ALGORITHMS) expect(() => requireVerifiable(alg, new Error('bad key'))).not.toThrow()
})

it('blames this runtime if jose cannot verify a known signature with it', async () => {
  const cause = new Error('not supported')
  const refused = { code: 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED', cause }
  const jwt = `${Buffer.from('{"alg":"ES256"}').toString('base64url')}.e30.c2ln`
  await expect(requireWrongSignature(refused, jwt)).resolves.toBeUndefined()
  vi.spyOn(crypto.subtle, 'verify').mockRejectedValue(cause)
  onTestFinished(() => void vi.restoreAllMocks())
  await expect(requireWrongSignature(refused, jwt)).rejects.toMatchObject({
    message: 'This runtime cannot verify signatures by ES256',
    cause,
  })
})
