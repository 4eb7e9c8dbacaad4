import type { CorsHeaders } from '../../http/endpoint.ts'
import { type HttpRequest, header } from '../../http/http.ts'
import { OAuthError } from '../../kernel/oauth-error.ts'
import { sha256 } from '../../kernel/secrets.ts'
import type { Transients } from '../../kernel/store.ts'
import { isSignedBy } from '../../tokens/compact-jws.ts'
import type { JwsAlgorithm } from '../../tokens/jwk.ts'
import type { PresentedKey, ProofOfPossession } from '../../tokens/proof-of-possession.ts'
import {
  DPOP_ERRORS,
  type DpopNonces,
  type DpopProof,
  PROOF_LIFETIME,
  readProof,
  requireFresh,
  requireMatch,
} from './dpop-proof.ts'

/** How the authorization server or an API verifies proofs. */
export interface ProofVerifier {
  readonly algorithms: readonly JwsAlgorithm[]
  readonly nonces: DpopNonces
  readonly nonceRequired: boolean
  /** The URI of a request, from the configuration and the path. */
  readonly uriOf: (request: HttpRequest) => string
  /** Stores the used proofs. Absent if a proof may be used again. */
  readonly used?: Transients | undefined
  /** Epoch seconds. */
  readonly now: () => number
}

/** The key in the `DPoP` header; `undefined` without one. @throws OAuthError `invalid_dpop_proof` */
export function presentedKey(verifier: ProofVerifier, request: HttpRequest): PresentedKey | undefined {
  const text = header(request, 'dpop')
  if (text === undefined) return undefined
  const proof = readProof(text, verifier.algorithms)
  const { used } = verifier
  return {
    thumbprint: proof.thumbprint,
    // The signature is verified last: it costs more than all other checks together.
    verify(accessToken) {
      const now = verifier.now()
      const tokenHash = accessToken === undefined ? undefined : sha256(accessToken)
      requireMatch(proof.claims, { method: request.method, uri: verifier.uriOf(request), tokenHash }, now)
      const headers = requireFresh(proof.claims, verifier.nonces, verifier.nonceRequired, now)
      if (!isSignedBy(proof.jwk, proof.alg, proof.jws)) throw new OAuthError(DPOP_ERRORS.dpop_proof_signature)
      return headers
    },
    spend: used && (() => spend(used, proof, verifier.now())),
  }
}

/** Stores a hash, since the sender chooses `jti`. An unreachable store is a 503. */
async function spend(used: Transients, { thumbprint, claims }: DpopProof, now: number): Promise<void> {
  const { htm, htu, jti } = claims
  const id = sha256(JSON.stringify(['dpop', thumbprint, htm, htu, jti]))
  const expiresAt = now + PROOF_LIFETIME
  if (!(await used.insert(id, { kind: 'seen', expiresAt }, expiresAt)))
    throw new OAuthError(DPOP_ERRORS.dpop_proof_replayed)
}

const CORS_HEADERS: CorsHeaders = { allowed: ['dpop'], exposed: ['DPoP-Nonce'] }

/** The proofs at an API: every access token of the scheme `DPoP` needs one. */
export function proofsAt(verifier: ProofVerifier, required: boolean): ProofOfPossession {
  return {
    algorithms: verifier.algorithms,
    required,
    corsHeaders: CORS_HEADERS,
    present(request) {
      const key = presentedKey(verifier, request)
      if (key === undefined) throw new OAuthError(DPOP_ERRORS.dpop_proof_missing)
      return key
    },
  }
}
