import type { CorsHeaders } from '../http/endpoint.ts'
import { type HttpRequest, header } from '../http/http.ts'
import { defineErrors, OAuthError } from '../kernel/oauth-error.ts'
import { sha256 } from '../kernel/secrets.ts'
import type { Transients } from '../kernel/store.ts'
import type { PresentedKey, ProofOfPossession } from '../tokens/proof-of-possession.ts'
import type { DpopNonces } from './dpop-nonce.ts'
import {
  type DpopProof,
  PROOF_ERRORS,
  type ProvenRequest,
  readProof,
  requireFor,
  requireSignature,
} from './dpop-proof.ts'
import type { DpopAlgorithm } from './proof-algorithms.ts'
import { NONCE_ERRORS, PROOF_LIFETIME, requireFresh } from './proof-freshness.ts'

/** All refusals of proofs. */
export const DPOP_ERRORS = {
  ...PROOF_ERRORS,
  ...NONCE_ERRORS,
  ...defineErrors({
    dpop_proof_missing: ['invalid_dpop_proof', 'The request needs a DPoP proof'],
    dpop_proof_replayed: ['invalid_dpop_proof', 'The DPoP proof was used before'],
  }),
}

/** A place where proofs are checked: the authorization server, or one API. */
export interface ProofPlace {
  readonly algorithms: readonly DpopAlgorithm[]
  readonly nonces: DpopNonces
  readonly nonceRequired: boolean
  /** The URI of a request, from the configuration and the path. */
  readonly uriOf: (request: HttpRequest) => string
  /** Where the proofs that were used are kept, if each is good only once. */
  readonly used?: Transients | undefined
  /** Epoch seconds. */
  readonly now: () => number
}

/** The key in the `DPoP` header; `undefined` without one. @throws OAuthError `invalid_dpop_proof` */
export function presentedKey(place: ProofPlace, request: HttpRequest): PresentedKey | undefined {
  const given = header(request, 'dpop')
  if (given === undefined) return undefined
  const proof = readProof(given, place.algorithms)
  const { used } = place
  return {
    thumbprint: proof.thumbprint,
    // The signature comes last: it costs more than all the other checks together.
    verify(accessToken) {
      const now = place.now()
      const tokenHash = accessToken === undefined ? undefined : sha256(accessToken)
      const proven = { method: request.method, uri: place.uriOf(request), tokenHash } satisfies ProvenRequest
      requireFor(proof.claims, proven, now)
      const headers = requireFresh(proof.claims, place.nonces, place.nonceRequired, now)
      requireSignature(proof)
      return headers
    },
    spend: used && (() => spend(used, proof, place.now())),
  }
}

/** Only a hash is kept: the sender chooses `jti`. A store that is down is a 503. */
async function spend(used: Transients, { thumbprint, claims }: DpopProof, now: number): Promise<void> {
  const { htm, htu, jti } = claims
  const id = sha256(JSON.stringify(['dpop', thumbprint, htm, htu, jti]))
  const expiresAt = now + PROOF_LIFETIME
  if (!(await used.insert(id, { kind: 'seen', expiresAt }, expiresAt)))
    throw new OAuthError(DPOP_ERRORS.dpop_proof_replayed)
}

export const CORS_HEADERS: CorsHeaders = { allowed: ['dpop'], exposed: ['DPoP-Nonce'] }

/** The proofs at an API, where one comes with every token of its scheme. */
export function proofsAt(place: ProofPlace, required: boolean): ProofOfPossession {
  return {
    algorithms: place.algorithms,
    required,
    corsHeaders: CORS_HEADERS,
    present(request) {
      const key = presentedKey(place, request)
      if (key === undefined) throw new OAuthError(DPOP_ERRORS.dpop_proof_missing)
      return key
    },
  }
}
