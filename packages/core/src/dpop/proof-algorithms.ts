import { constants, createPublicKey, verify } from 'node:crypto'
import { z } from 'zod'
import { sha256 } from '../kernel/secrets.ts'

/** The JWS algorithms of a proof (RFC 7518 3.1, RFC 8037 3.1, RFC 9864 2.2). `Ed25519` is a newer name of `EdDSA`. */
export type DpopAlgorithm = 'ES256' | 'EdDSA' | 'Ed25519' | 'PS256' | 'RS256'

const coordinate = z.string().regex(/^[\w-]{43}$/)
/** Moduli from 2048 bits (RFC 7518 3.3) to 4096, and exponents that no check takes long for. */
const modulus = z.string().regex(/^[B-Za-z0-9_-][\w-]{341,683}$/)
const exponent = z.string().regex(/^[\w-]{2,6}$/)

/** A public key (RFC 7517 4), with the members that make it up alone, in the order of RFC 7638 3.2. */
const PUBLIC_KEYS = {
  EC: z.object({ crv: z.literal('P-256'), kty: z.literal('EC'), x: coordinate, y: coordinate }),
  OKP: z.object({ crv: z.literal('Ed25519'), kty: z.literal('OKP'), x: coordinate }),
  RSA: z.object({ e: exponent, kty: z.literal('RSA'), n: modulus }),
}
export type ProofJwk = z.infer<(typeof PUBLIC_KEYS)[keyof typeof PUBLIC_KEYS]>

interface Algorithm {
  readonly keys: z.ZodType<ProofJwk>
  readonly hash: string | null
  readonly options?: object
}

const EDDSA: Algorithm = { keys: PUBLIC_KEYS.OKP, hash: null }

const ALGORITHMS: Readonly<Record<DpopAlgorithm, Algorithm>> = {
  // A JWS signature is the two numbers, not their DER (RFC 7518 3.4).
  ES256: { keys: PUBLIC_KEYS.EC, hash: 'sha256', options: { dsaEncoding: 'ieee-p1363' } },
  EdDSA: EDDSA,
  Ed25519: EDDSA,
  PS256: {
    keys: PUBLIC_KEYS.RSA,
    hash: 'sha256',
    options: {
      padding: constants.RSA_PKCS1_PSS_PADDING,
      saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
    },
  },
  RS256: { keys: PUBLIC_KEYS.RSA, hash: 'sha256' },
}

export const DPOP_ALGORITHMS = Object.keys(ALGORITHMS) as readonly DpopAlgorithm[]

/** RFC 7518 6.2.2 and 6.3.2, RFC 8037 2, and the member of symmetric keys. */
const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']

/** The public key in the header of a proof, or `undefined` when it is private, or not of this algorithm. */
export function publicJwk(alg: DpopAlgorithm, jwk: unknown): ProofJwk | undefined {
  if (PRIVATE_MEMBERS.some((member) => Object.hasOwn(Object(jwk), member))) return undefined
  return ALGORITHMS[alg].keys.safeParse(jwk).data
}

/** The JWK SHA-256 thumbprint (RFC 7638 3). */
export function thumbprintOf(jwk: ProofJwk): string {
  return sha256(JSON.stringify(jwk))
}

/** Importing a key costs a third of a verification, and one key signs many proofs. */
const MAX_KEYS = 1000
const imported = new Map<string, VerifyingKey>()
type VerifyingKey = Parameters<typeof verify>[2]

function importedKey(alg: DpopAlgorithm, jwk: ProofJwk, thumbprint: string): VerifyingKey {
  const name = `${alg} ${thumbprint}`
  const key = imported.get(name) ?? verifyingKey(ALGORITHMS[alg], jwk)
  imported.delete(name)
  imported.set(name, key)
  const [oldest] = imported.keys()
  if (imported.size > MAX_KEYS && oldest !== undefined) imported.delete(oldest)
  return key
}

/** A key without options is verified with faster than one in an object. */
function verifyingKey({ options }: Algorithm, jwk: ProofJwk): VerifyingKey {
  const key = createPublicKey({ key: { ...jwk }, format: 'jwk' })
  return options === undefined ? key : { key, ...options }
}

/** Whether the signature is of this key. A key that is no point of its curve signs nothing. */
export function signatureHolds(
  alg: DpopAlgorithm,
  jwk: ProofJwk,
  thumbprint: string,
  signed: string,
  signature: string,
): boolean {
  try {
    const key = importedKey(alg, jwk, thumbprint)
    return verify(ALGORITHMS[alg].hash, Buffer.from(signed), key, Buffer.from(signature, 'base64url'))
  } catch {
    return false
  }
}
