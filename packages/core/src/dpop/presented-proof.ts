import type { CorsHeaders } from '../http/endpoint.ts'
import { type HttpRequest, header } from '../http/http.ts'
import { OAuthError } from '../kernel/oauth-error.ts'
import { sha256 } from '../kernel/secrets.ts'
import type { Transients } from '../kernel/store.ts'
import type { JwsAlgorithm } from '../tokens/jwk.ts'
import type { PresentedKey, ProofOfPossession } from '../tokens/proof-of-possession.ts'
import { type DpopNonces, PROOF_LIFETIME, requireFresh } from './dpop-nonce.ts'
import { DPOP_ERRORS, type DpopProof, isSigned, readProof, requireFor } from './dpop-proof.ts'

/** A place where proofs are checked: the authorization server, or one API. */
export interface ProofPlace {
  readonly algorithms: readonly JwsAlgorithm[]
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
      requireFor(proof.claims, { method: request.method, uri: place.uriOf(request), tokenHash }, now)
      const headers = requireFresh(proof.claims, place.nonces, place.nonceRequired, now)
      if (!isSigned(proof)) throw new OAuthError(DPOP_ERRORS.dpop_proof_signature)
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

const CORS_HEADERS: CorsHeaders = { allowed: ['dpop'], exposed: ['DPoP-Nonce'] }

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
