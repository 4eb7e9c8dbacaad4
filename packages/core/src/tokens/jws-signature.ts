/**
 * Verifies signatures with `node:crypto`, without waiting. The forms of its calls are the ones that Node, Bun, Deno and workerd all
 * verify with: workerd takes no `KeyObject` together with options, and its `verify` knows no PSS.
 */
import { constants, createVerify, type KeyObject, type Verify, verify } from 'node:crypto'
import type { JwsAlgorithm, PublicKeyMembers } from './jwk.ts'
import { importedKey } from './key-object.ts'
import { knownSignature } from './known-signatures.ts'

/** Whether a key has made a signature. May throw. */
export type SignatureCheck = (signed: Buffer, signature: Buffer) => boolean

type CheckOf = (key: KeyObject, jwk: PublicKeyMembers) => SignatureCheck

const ofEdwards: CheckOf = (key) => (signed, signature) => verify(null, signed, key, signature)

/** By algorithm (RFC 7518 3, RFC 8037 3.1). */
const CHECKS: Readonly<Record<JwsAlgorithm, CheckOf>> = {
  ES256: (key) => (signed, signature) =>
    signature.length === 2 * COORDINATE && verify('sha256', signed, key, derOf(signature)),
  EdDSA: ofEdwards,
  Ed25519: ofEdwards,
  PS256: (key, jwk) => {
    const options = takesKeyObjects() ? { ...PSS, key } : { ...PSS, key: { ...jwk }, format: 'jwk' }
    return (signed, signature) => pssVerify(signed, options as PssKey, signature)
  },
  RS256: (key) => (signed, signature) => verify('sha256', signed, key, signature),
}

/** RFC 7518 3.5: the salt is as long as the hash. */
const PSS = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 }
type PssKey = Parameters<Verify['verify']>[0]

function pssVerify(signed: Buffer, key: PssKey, signature: Buffer): boolean {
  return createVerify('sha256').update(signed).verify(key, signature)
}

let objectsTaken: boolean | undefined

/** Elsewhere the key is imported for each signature, which takes another half of the time. */
function takesKeyObjects(): boolean {
  objectsTaken ??= verifiesByKeyObject()
  return objectsTaken
}

function verifiesByKeyObject(): boolean {
  const { jwk, signed, signature } = knownSignature('PS256')
  try {
    return pssVerify(
      Buffer.from(signed),
      { ...PSS, key: importedKey(jwk) as KeyObject },
      Buffer.from(signature, 'base64url'),
    )
  } catch {
    return false
  }
}

/** @returns `undefined` for a key that is too short @throws Error for a bad key, and for one that this runtime cannot use */
export function signatureCheck(alg: JwsAlgorithm, jwk: PublicKeyMembers): SignatureCheck | undefined {
  const key = importedKey(jwk)
  return key && CHECKS[alg](key, jwk)
}

/**
 * Requires that a key or a signature is at fault for what verifying has thrown.
 *
 * @throws Error if this runtime cannot verify a valid signature either
 */
export function requireVerifiable(alg: JwsAlgorithm, thrown: unknown): void {
  const { jwk, signed, signature } = knownSignature(alg)
  try {
    const check = signatureCheck(alg, jwk) as SignatureCheck
    if (check(Buffer.from(signed), Buffer.from(signature, 'base64url'))) return
  } catch {}
  throw new Error(`This runtime cannot verify signatures by ${alg}`, { cause: thrown })
}

/** Octets of R, and of S (RFC 7518 3.4). */
const COORDINATE = 32
const SEQUENCE = 0x30
const INTEGER = 0x02

/** A signature by ES256 in DER, as X.509 has it. In this form alone a bare key verifies it, on every runtime. */
function derOf(signature: Buffer): Buffer {
  const [r, s] = [integerOf(signature, 0), integerOf(signature, COORDINATE)]
  return Buffer.concat([Buffer.of(SEQUENCE, r.length + s.length), r, s])
}

/** Without leading zeros, and with one before a high bit: DER integers have a sign. No valid R or S is zero. */
function integerOf(signature: Buffer, start: number): Buffer {
  const end = start + COORDINATE
  let first = start
  while (signature[first] === 0) first++
  const digits = signature.subarray(first, end)
  const isHigh = (signature[first] ?? 0) >= 0x80
  const head = isHigh ? [INTEGER, digits.length + 1, 0] : [INTEGER, digits.length]
  return Buffer.concat([Buffer.from(head), digits])
}
