import type { CorsHeaders } from '../http/endpoint.ts'
import { type HttpRequest, header } from '../http/http.ts'
import type { Client } from '../kernel/records.ts'

/** A key that a request names as its own. Nothing is verified yet, so reading it is cheap. */
export interface PresentedKey {
  /** The JWK SHA-256 thumbprint (RFC 7638), the `jkt` of records and `cnf` (RFC 9449 6.1). */
  readonly thumbprint: string
  /**
   * Verifies that the sender holds the key, and made the proof for this request.
   *
   * @param accessToken that the proof must be made for; absent at the authorization server
   * @returns headers for the answer
   * @throws OAuthError `invalid_dpop_proof` or `use_dpop_nonce`
   */
  verify(accessToken?: string): ProofHeaders
  /** Records the proof, where each is valid only once. @throws OAuthError `invalid_dpop_proof` for a repeated proof */
  readonly spend?: (() => Promise<void>) | undefined
}

/** Headers of the answer to a proof, such as a newer nonce. */
export type ProofHeaders = Readonly<Record<string, string>>

/** How an API has a request prove that it holds the key of its token (RFC 9449 7). */
export interface ProofOfPossession {
  /** The JWS algorithms of proofs. */
  readonly algorithms: readonly string[]
  /** Whether an access token that is bound to no key is refused. */
  readonly required: boolean
  /** The headers of proofs, for scripts of other origins. */
  readonly corsHeaders: CorsHeaders
  /** The key that the request names. @throws OAuthError `invalid_dpop_proof` when it names none, or malformed */
  present(request: HttpRequest): PresentedKey
}

export interface ProvenKey {
  readonly thumbprint: string
  readonly headers: ProofHeaders
}

/** How the authorization server binds tokens to keys of their clients. A feature brings it. */
export interface SenderConstraint {
  /**
   * The key that a client proves at an endpoint of the server, or `undefined` for a request without a proof.
   *
   * @param client absent if it is not known yet
   * @throws OAuthError for a bad proof, and where the client must prove a key and does not
   */
  provenKey(request: HttpRequest, client?: Client): ProvenKey | undefined
  /** The proofs at UserInfo, the only API of the server itself. Endpoints open to scripts take their headers. */
  readonly userinfo: ProofOfPossession
  /** The proofs at an API with another origin, for requests to `origin` and the path. */
  proofsAt(origin: string): ProofOfPossession
}

/** The key that a client proves where no proof is required. @throws OAuthError for a bad proof */
export function optionalProofKey(
  constraint: SenderConstraint | undefined,
  request: HttpRequest,
  client?: Client,
): ProvenKey | undefined {
  return header(request, 'dpop') === undefined ? undefined : constraint?.provenKey(request, client)
}
