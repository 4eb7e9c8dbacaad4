import { z } from 'zod'
import { CLOCK_TOLERANCE } from '../kernel/kernel.ts'
import { defineErrors, OAuthError } from '../kernel/oauth-error.ts'
import {
  type DpopAlgorithm,
  type ProofJwk,
  publicJwk,
  signatureHolds,
  thumbprintOf,
} from './proof-algorithms.ts'
import { isSameUri } from './target-uri.ts'

export const PROOF_ERRORS = defineErrors({
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
})

/** A proof that was read (RFC 9449 4.2). Nothing in it is verified. */
export interface DpopProof {
  readonly alg: DpopAlgorithm
  readonly jwk: ProofJwk
  readonly thumbprint: string
  readonly claims: ProofClaims
  readonly signed: string
  readonly signature: string
}

const MAX_PROOF_LENGTH = 4096

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
export function readProof(header: string, algorithms: readonly DpopAlgorithm[]): DpopProof {
  const [, signed = '', signature = ''] =
    (header.length <= MAX_PROOF_LENGTH && COMPACT_JWS.exec(header)) || []
  const [encodedHeader = '', encodedClaims = ''] = signed.split('.')
  const head = ProofHeader.safeParse(jsonOf(encodedHeader)).data
  if (head === undefined) throw new OAuthError(PROOF_ERRORS.dpop_proof_malformed)
  if (head.typ !== 'dpop+jwt') throw new OAuthError(PROOF_ERRORS.dpop_proof_type)
  const alg = algorithms.find((offered) => offered === head.alg)
  if (alg === undefined) throw new OAuthError(PROOF_ERRORS.dpop_proof_algorithm)
  const jwk = publicJwk(alg, head.jwk)
  if (jwk === undefined) throw new OAuthError(PROOF_ERRORS.dpop_proof_key)
  const claims = ProofClaims.safeParse(jsonOf(encodedClaims)).data
  if (claims === undefined) throw new OAuthError(PROOF_ERRORS.dpop_proof_claims)
  return { alg, jwk, thumbprint: thumbprintOf(jwk), claims, signed, signature }
}

function jsonOf(encoded: string): unknown {
  try {
    return JSON.parse(Buffer.from(encoded, 'base64url').toString())
  } catch {
    return undefined
  }
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
  if (htm !== method) throw new OAuthError(PROOF_ERRORS.dpop_proof_method)
  if (!isSameUri(htu, uri)) throw new OAuthError(PROOF_ERRORS.dpop_proof_uri)
  if (now >= exp + CLOCK_TOLERANCE || now < nbf - CLOCK_TOLERANCE)
    throw new OAuthError(PROOF_ERRORS.dpop_proof_lapsed)
  if (tokenHash !== undefined && ath !== tokenHash) throw new OAuthError(PROOF_ERRORS.dpop_proof_token)
}

/** That the sender holds the key (RFC 9449 4.3, check 7). @throws OAuthError `invalid_dpop_proof` */
export function requireSignature({ alg, jwk, thumbprint, signed, signature }: DpopProof): void {
  if (!signatureHolds(alg, jwk, thumbprint, signed, signature))
    throw new OAuthError(PROOF_ERRORS.dpop_proof_signature)
}
