/**
 * Verifies signatures with `node:crypto`, without waiting. The forms of its calls are the ones that Node, Bun, Deno and workerd all
 * verify with: workerd takes no `KeyObject` together with options, and its `verify` knows no PSS.
 */
import {
  constants,
  createPublicKey,
  createVerify,
  type JsonWebKey,
  type KeyObject,
  type Verify,
  verify,
} from 'node:crypto'
import { decodedJson, type JwsAlgorithm, jose, MIN_MODULUS, PublicJwk, type PublicKeyMembers } from './jwk.ts'

/** `undefined` for an RSA key that is too short. @throws Error for a bad key, and for one that this runtime cannot use */
function importedKey(key: Readonly<JsonWebKey>): KeyObject | undefined {
  const imported = createPublicKey({ key: { ...key }, format: 'jwk' })
  const { modulusLength = MIN_MODULUS } = imported.asymmetricKeyDetails ?? {}
  return modulusLength < MIN_MODULUS ? undefined : imported
}

/** Not a point that is not on its curve. */
function isUsable(key: PublicJwk): boolean {
  try {
    return importedKey(key) !== undefined
  } catch {
    return false
  }
}

/** A public key that verifies signatures: a client can register it. */
export const UsableJwk = PublicJwk.refine(
  isUsable,
  `must be a key that verifies signatures, RSA with at least ${MIN_MODULUS} bits`,
)

/** The keys of a set that verify signatures. Keys for other uses are ignored (RFC 7517 5). */
export function usableKeys(keys: readonly unknown[]): PublicJwk[] {
  return keys.flatMap((key) => UsableJwk.safeParse(key).data ?? [])
}

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
  objectsTaken ??= verifiesKnown('PS256', (jwk) => {
    const options = { ...PSS, key: importedKey(jwk) as KeyObject }
    return (signed, signature) => pssVerify(signed, options, signature)
  })
  return objectsTaken
}

function verifiesKnown(
  alg: JwsAlgorithm,
  checkOf: (jwk: PublicKeyMembers) => SignatureCheck | undefined,
): boolean {
  const { jwk, signed, signature } = knownSignature(alg)
  try {
    return checkOf(jwk)?.(Buffer.from(signed), Buffer.from(signature, 'base64url')) ?? false
  } catch {
    return false
  }
}

/** @returns `undefined` for a key that is too short @throws Error for a bad key, and for one that this runtime cannot use */
export function signatureCheck(alg: JwsAlgorithm, jwk: PublicKeyMembers): SignatureCheck | undefined {
  const key = importedKey(jwk)
  return key && CHECKS[alg](key, jwk)
}

/** Requires that the key or the signature is at fault, and not the runtime. @param thrown by verifying @throws Error */
export function requireVerifiable(alg: JwsAlgorithm, thrown: unknown): void {
  if (verifiesKnown(alg, (jwk) => signatureCheck(alg, jwk))) return
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
  let first = start
  while (signature[first] === 0) first++
  const digits = signature.subarray(first, start + COORDINATE)
  const isHigh = (signature[first] ?? 0) >= 0x80
  const head = isHigh ? [INTEGER, digits.length + 1, 0] : [INTEGER, digits.length]
  return Buffer.concat([Buffer.from(head), digits])
}

// Known signatures, which are valid. They tell a wrong signature from a runtime that cannot verify the algorithm: that is a
// fault of the server, and must not look like a fault of the client.

/** The claims `{}`, signed once with private keys that were deleted. Header and claims, and the signature in base64url. */
export function knownSignature(alg: JwsAlgorithm) {
  const name = alg === 'Ed25519' ? 'EdDSA' : alg
  const header = Buffer.from(JSON.stringify({ alg: name })).toString('base64url')
  return { jwk: KEYS[name], signed: `${header}.e30`, signature: SIGNATURES[name] }
}

const RSA: PublicKeyMembers = {
  e: 'AQAB',
  kty: 'RSA',
  n: 'rNHjhAceUBWJ2dAZsLD7VS2jH-OAM2VWs6j3H6niKnlz5QPyRrZWomyKlKFkJTBXCnn8JgKdXKlSK-9EH42oNSXHaicFmqsu8REmzuR1N-O-bZhSzw1Hu2aUJet9Ge3xAKo86QVQ-68GPhqxnHtWJX5ZKpq24liLppSJ9VpfkOQgEE1DG9nNcASrryUgBHb2zM_iwLp1d46GwlY5CBaEAgzouwIqtJFe-xxDanLdvPJAHZIKHECHcGAICJlcOP-zL1wQfHRXRJBTgmyVwdmPQ4i8KX7hbFGE8i9PwK6wxGjz_ADYuNBMuca4nNnqzGCLCVHnE3giwnrFPajaIUUwiQ',
}

const KEYS: Readonly<Record<Exclude<JwsAlgorithm, 'Ed25519'>, PublicKeyMembers>> = {
  ES256: {
    crv: 'P-256',
    kty: 'EC',
    x: 'T0oK7Fe_NZ9klhLMhREPlB7VRQUVwD3CDkgphAags5s',
    y: '4ukdBxTv5LQ8MSEXqHziUW1FrmJEA73tq5Uiv0Gn41U',
  },
  EdDSA: { crv: 'Ed25519', kty: 'OKP', x: 'R1boV0dggfZsPGzX4MosjRqEjzacoMN6IaTvjLXDFwo' },
  PS256: RSA,
  RS256: RSA,
}

const SIGNATURES: Readonly<Record<keyof typeof KEYS, string>> = {
  ES256: 'VJdFAvtdIVDQPJj83BxJBjz9KhEhkmk7irGbOcqvj5lMZ-9NG0VIG-0UlHIcaXe1G52HqTrk8i7v0B423DgJ_w',
  EdDSA: 'R0D5vlKVXuVEfwbMbxxRROs2gO5Sl_W2lxyMpaFJPjVXAOchjt6ij4STeBTipaGDKKGrkNLJlgvJPXEmp7JaCg',
  PS256:
    'eD3ng_cy3RY0jHWal5Zn_MfBs8TXWpIRRAMjPWMRlHCbsKTh0q7VPDNo15jjMN-9IaodKzYYzjlHfykUOHcJQ-XTTe3nnw58bJvbuxHXyhgigVJNQq-1uI7_COpOiVBknitGaGWVN_IB4MW2WqBfq7V7PWfCgVsfSIma2GfqUz8Ot5JFYsYraM4eXhFhbet5WN-wzerONGqIwUtdVZW3ORanrIk_QSDrM_pNO5ofDCkKJDMes3jWw09YT54IuUq6vEqySfgwtI_TbdSKPbmMgpkZHoKYmZyi32tqgwhHT8QCibFKXPOdkwij788FQglQwVgMWqa8QiEsixxxbHzm0g',
  RS256:
    'RVQlNrDk3PLMfkL_CBrM3X2UPFN6yfU5bgNvBaTPxqs74NVJj_om3_hztjGkslTpqgPYyJBJRzMRrP7pTszy4kcJ8WhQ-4q9FW2wRLS7ncB53h6S95MLs1m1LCasucb9Lutg2_XWPmIVGNx-PeSg5GzG4v3mO1p-cl_brIMv-nIU3yN7gOsFcrPnRtyjdFgdRnfFWXv58fleUYybBKy7Z4I-i5gsT1QuXMAJ0faK9OEv6HoYDNwmbd5JxXPZ9QuspCYX_D3g07zJw91Xut5FsgXAmeAA6hN62CrrudXL3MnfQzrOFERoDDPy7zN6MHhPzqJz-SKWgkk6AAKkATk4xw',
}

/**
 * The same for jose, which refuses a signature also when the runtime throws.
 *
 * @param error of `jwtVerify`. Errors other than a refused signature are ignored
 * @param jwt by one of `JWS_ALGORITHMS`, as callers demand of jose
 * @throws Error if this runtime cannot verify a valid signature either
 */
export async function requireWrongSignature(error: unknown, jwt: string): Promise<void> {
  const { code, cause } = Object(error)
  if (code !== 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED' || cause === undefined) return
  const { alg } = Object(decodedJson(jwt.slice(0, jwt.indexOf('.'))))
  const { jwk, signed, signature } = knownSignature(alg)
  const { jwtVerify } = await jose()
  try {
    await jwtVerify(`${signed}.${signature}`, { ...jwk })
  } catch {
    throw new Error(`This runtime cannot verify signatures by ${alg}`, { cause })
  }
}
