import { constants, verify } from 'node:crypto'
import { z } from 'zod'
import { CLOCK_TOLERANCE } from '../kernel/kernel.ts'
import { defineErrors, OAuthError } from '../kernel/oauth-error.ts'
import {
  decodedJson,
  type JwsAlgorithm,
  type PublicKeyMembers,
  publicKeyFor,
  thumbprint,
  verifyingKey,
} from '../tokens/jwk.ts'
import { isSameUri } from './target-uri.ts'

export const DPOP_ERRORS = defineErrors({
  dpop_proof_malformed: [
    'invalid_dpop_proof',
    'The DPoP header must hold one proof, a JWS in compact form of at most 4096 characters',
  ],
  dpop_proof_type: ['invalid_dpop_proof', 'typ of the DPoP proof must be dpop+jwt'],
  dpop_proof_algorithm: ['invalid_dpop_proof', 'The server does not support alg of the DPoP proof'],
  dpop_proof_key: ['invalid_dpop_proof', 'jwk of the DPoP proof must be a public key for its alg'],
  dpop_proof_claims: [
    'invalid_dpop_proof',
    'The DPoP proof must have jti, of at most 256 characters, htm, htu and iat',
  ],
  dpop_proof_method: ['invalid_dpop_proof', 'htm of the DPoP proof is not the method of the request'],
  dpop_proof_uri: ['invalid_dpop_proof', 'htu of the DPoP proof is not the URI of the request'],
  dpop_proof_lapsed: ['invalid_dpop_proof', 'The DPoP proof is not valid at this time, by its exp or nbf'],
  dpop_proof_token: ['invalid_dpop_proof', 'ath of the DPoP proof is not the hash of the access token'],
  dpop_proof_signature: ['invalid_dpop_proof', 'The signature of the DPoP proof does not match its jwk'],
  dpop_nonce_needed: ['use_dpop_nonce', 'The DPoP proof needs the nonce of the DPoP-Nonce header'],
  dpop_proof_missing: ['invalid_dpop_proof', 'The request needs a DPoP proof'],
  dpop_proof_replayed: ['invalid_dpop_proof', 'The DPoP proof was used before'],
})

/** A proof that was read (RFC 9449 4.2). Nothing in it is verified. */
export interface DpopProof {
  readonly alg: JwsAlgorithm
  readonly jwk: PublicKeyMembers
  readonly thumbprint: string
  readonly claims: ProofClaims
  readonly signed: string
  readonly signature: string
}

const MAX_PROOF_LENGTH = 4096
/** In base64url: 4096 bits. Anybody may send any key, and a longer one takes more time to verify. */
const MAX_MODULUS_LENGTH = 683

/** Two headers arrive joined by a comma, which no JWS contains. */
const COMPACT_JWS = /^([\w-]+\.[\w-]+)\.([\w-]+)$/

/** `crit` names what a recipient must understand (RFC 7515 4.1.11), and nothing is defined here. */
const ProofHeader = z.object({
  typ: z.unknown().optional(),
  alg: z.unknown().optional(),
  jwk: z.unknown().optional(),
  crit: z.undefined().optional(),
})

const ProofClaims = z.object({
  jti: z.string().min(1).max(256),
  htm: z.string(),
  htu: z.string(),
  iat: z.int(),
  nonce: z.string().optional(),
  ath: z.string().optional(),
  exp: z.number().optional(),
  nbf: z.number().optional(),
})
export type ProofClaims = z.infer<typeof ProofClaims>

/** Reads a `DPoP` header (RFC 9449 4.3, checks 1 to 6, and 8). @throws OAuthError `invalid_dpop_proof` */
export function readProof(header: string, algorithms: readonly JwsAlgorithm[]): DpopProof {
  const [, signed = '', signature = ''] =
    (header.length <= MAX_PROOF_LENGTH && COMPACT_JWS.exec(header)) || []
  const [encodedHeader = '', encodedClaims = ''] = signed.split('.')
  const head = ProofHeader.safeParse(decodedJson(encodedHeader)).data
  if (head === undefined) throw new OAuthError(DPOP_ERRORS.dpop_proof_malformed)
  if (head.typ !== 'dpop+jwt') throw new OAuthError(DPOP_ERRORS.dpop_proof_type)
  const alg = algorithms.find((offered) => offered === head.alg)
  if (alg === undefined) throw new OAuthError(DPOP_ERRORS.dpop_proof_algorithm)
  const jwk = publicKeyFor(alg, head.jwk)
  if (jwk === undefined || (jwk.kty === 'RSA' && jwk.n.length > MAX_MODULUS_LENGTH))
    throw new OAuthError(DPOP_ERRORS.dpop_proof_key)
  const claims = ProofClaims.safeParse(decodedJson(encodedClaims)).data
  if (claims === undefined) throw new OAuthError(DPOP_ERRORS.dpop_proof_claims)
  return { alg, jwk, thumbprint: thumbprint(jwk), claims, signed, signature }
}

/** The request that a proof must be made for. */
export interface ProvenRequest {
  readonly method: string
  /** As the configuration says. What the request says of its host is the sender's choice. */
  readonly uri: string
  /** SHA-256 of the access token; absent at the authorization server. */
  readonly tokenHash?: string | undefined
}

/** That the proof is for this request and time (RFC 9449 4.3, checks 9, 10 and 12). @throws OAuthError `invalid_dpop_proof` */
export function requireFor(
  { htm, htu, ath, exp = Number.POSITIVE_INFINITY, nbf = 0 }: ProofClaims,
  { method, uri, tokenHash }: ProvenRequest,
  now: number,
): void {
  if (htm !== method) throw new OAuthError(DPOP_ERRORS.dpop_proof_method)
  if (!isSameUri(htu, uri)) throw new OAuthError(DPOP_ERRORS.dpop_proof_uri)
  if (now >= exp + CLOCK_TOLERANCE || now < nbf - CLOCK_TOLERANCE)
    throw new OAuthError(DPOP_ERRORS.dpop_proof_lapsed)
  if (tokenHash !== undefined && ath !== tokenHash) throw new OAuthError(DPOP_ERRORS.dpop_proof_token)
}

/** What an algorithm verifies with (RFC 7518 3, RFC 8037 3.1). */
interface Verification {
  readonly hash: string | null
  readonly options?: object
}

const EDDSA: Verification = { hash: null }

const VERIFICATIONS: Readonly<Record<JwsAlgorithm, Verification>> = {
  // A JWS signature is the two numbers, not their DER (RFC 7518 3.4).
  ES256: { hash: 'sha256', options: { dsaEncoding: 'ieee-p1363' } },
  EdDSA: EDDSA,
  Ed25519: EDDSA,
  PS256: {
    hash: 'sha256',
    options: {
      padding: constants.RSA_PKCS1_PSS_PADDING,
      saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
    },
  },
  RS256: { hash: 'sha256' },
}

/** Importing a key costs a third of a verification, and one key signs many proofs. */
const MAX_KEYS = 1000
const imported = new Map<string, VerifyingKey>()
type VerifyingKey = Parameters<typeof verify>[2]

function importedKey({ alg, jwk, thumbprint }: DpopProof): VerifyingKey | undefined {
  const name = `${alg} ${thumbprint}`
  const key = imported.get(name) ?? keyWithOptions(alg, jwk)
  if (key === undefined) return undefined
  imported.delete(name)
  imported.set(name, key)
  const [oldest] = imported.keys()
  if (imported.size > MAX_KEYS && oldest !== undefined) imported.delete(oldest)
  return key
}

/** A key without options is verified with faster than one in an object. */
function keyWithOptions(alg: JwsAlgorithm, jwk: PublicKeyMembers): VerifyingKey | undefined {
  const key = verifyingKey(jwk)
  const { options } = VERIFICATIONS[alg]
  return key && options ? { key, ...options } : key
}

/** Whether the sender holds the key (RFC 9449 4.3, check 7). jose takes an eighth more processor time. */
export function isSigned(proof: DpopProof): boolean {
  const key = importedKey(proof)
  if (key === undefined) return false
  const { hash } = VERIFICATIONS[proof.alg]
  return verify(hash, Buffer.from(proof.signed), key, Buffer.from(proof.signature, 'base64url'))
}
