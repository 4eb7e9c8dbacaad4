import * as z from 'zod'
import { type HttpRequest, header } from '../../http/http.ts'
import { CLOCK_TOLERANCE } from '../../kernel/kernel.ts'
import { defineErrors, OAuthError, withCode } from '../../kernel/oauth-error.ts'
import { type AcceptedSecrets, hmacSha256, sameSecret, sha256 } from '../../kernel/secrets.ts'
import type { Transients } from '../../kernel/store.ts'
import { isSignedBy, readJws, spendOnce } from '../../tokens/compact-jws.ts'
import { type JwsAlgorithm, publicKeyFor, thumbprint } from '../../tokens/jwk.ts'
import type { PresentedKey, ProofHeaders, ProofOfPossession } from '../../tokens/proof-of-possession.ts'

export const DPOP_ERRORS = defineErrors({
  ...withCode('invalid_dpop_proof', {
    dpop_proof_malformed: 'The DPoP header must be one JWT in compact form, of at most 4096 characters',
    dpop_proof_type: 'typ of the DPoP proof must be dpop+jwt',
    dpop_proof_algorithm: 'alg of the DPoP proof is not supported. See dpop_signing_alg_values_supported',
    dpop_proof_key: 'jwk of the DPoP proof must be a public key for its alg',
    dpop_proof_claims: 'The DPoP proof must have jti (at most 256 characters), htm, htu and iat',
    dpop_proof_method: 'htm of the DPoP proof must be the method of the request',
    dpop_proof_uri: 'htu of the DPoP proof must be the URI of the request',
    dpop_proof_expired: 'The DPoP proof is not valid at this time. Check its exp and nbf, and the clock',
    dpop_proof_token: 'ath of the DPoP proof must be the hash of the access token',
    dpop_proof_signature: 'The DPoP proof must be signed with the private key of its jwk',
    dpop_proof_missing: 'The request needs a DPoP proof. Send it in the DPoP header',
    dpop_proof_replayed: 'The DPoP proof was used before. Make a new one for each request',
  }),
  dpop_nonce_needed: [
    'use_dpop_nonce',
    'The DPoP proof needs a nonce. Repeat the request with the nonce of the DPoP-Nonce header',
  ],
})

const MAX_PROOF_LENGTH = 4096
/** In base64url: 4096 bits. Unauthenticated callers can send any key, and a longer key takes more time to verify. */
const MAX_MODULUS_LENGTH = 683

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
type ProofClaims = z.infer<typeof ProofClaims>

/**
 * Reads a `DPoP` header (RFC 9449 4.2 and 4.3, checks 1 to 6, and 8). Nothing in it is verified yet.
 *
 * @throws OAuthError `invalid_dpop_proof`
 */
function readProof(header: string, algorithms: readonly JwsAlgorithm[]) {
  // Two headers arrive joined by a comma, which no JWS contains.
  const jws = header.length <= MAX_PROOF_LENGTH ? readJws(header) : undefined
  if (jws === undefined || jws.signature === '') throw new OAuthError(DPOP_ERRORS.dpop_proof_malformed)
  const head = jws.header
  if (head.typ !== 'dpop+jwt') throw new OAuthError(DPOP_ERRORS.dpop_proof_type)
  const alg = algorithms.find((offered) => offered === head.alg)
  if (alg === undefined) throw new OAuthError(DPOP_ERRORS.dpop_proof_algorithm)
  const jwk = publicKeyFor(alg, head.jwk)
  if (jwk === undefined || (jwk.kty === 'RSA' && jwk.n.length > MAX_MODULUS_LENGTH))
    throw new OAuthError(DPOP_ERRORS.dpop_proof_key)
  const claims = ProofClaims.safeParse(jws.claims).data
  if (claims === undefined) throw new OAuthError(DPOP_ERRORS.dpop_proof_claims)
  return { alg, jwk, thumbprint: thumbprint(jwk), claims, jws }
}

/**
 * Requires a proof of this request and this time (RFC 9449 4.3, checks 9, 10 and 12).
 *
 * @param uri with the origin of the configuration: the sender chooses the Host header
 * @param accessToken absent at the authorization server
 * @throws OAuthError `invalid_dpop_proof`
 */
function requireMatch(
  { htm, htu, ath, exp = Number.POSITIVE_INFINITY, nbf = 0 }: ProofClaims,
  { method, uri, accessToken }: { method: string; uri: string; accessToken: string | undefined },
  now: number,
): void {
  if (htm !== method) throw new OAuthError(DPOP_ERRORS.dpop_proof_method)
  if (!isSameUri(htu, uri)) throw new OAuthError(DPOP_ERRORS.dpop_proof_uri)
  if (now >= exp + CLOCK_TOLERANCE || now < nbf - CLOCK_TOLERANCE)
    throw new OAuthError(DPOP_ERRORS.dpop_proof_expired)
  if (accessToken !== undefined && ath !== sha256(accessToken))
    throw new OAuthError(DPOP_ERRORS.dpop_proof_token)
}

/** RFC 3986 2.3. */
const UNRESERVED = /[\w.~-]/

/**
 * A URI in the form in which `htu` is compared (RFC 9449 4.3, RFC 3986 6.2.2 and 6.2.3): without query and fragment, lower
 * case in scheme and host, no default port, no dot segments, no needless escapes. A trailing slash counts.
 *
 * @returns `undefined` unless it is an http or https URI without user information
 */
export function comparableUri(uri: string): string | undefined {
  if (!/^https?:\/\//i.test(uri) || !URL.canParse(uri)) return undefined
  const { username, password, origin, pathname } = new URL(uri)
  if (username !== '' || password !== '') return undefined
  return origin + pathname.replace(/%[0-9a-f]{2}/gi, unescaped)
}

/** Paths that a URL parser rewrites and a router does not: dot segments (plain or escaped), backslashes and fragments. */
const REWRITTEN = /[\\#]|\/(\.|%2e){1,2}(\/|$)/i

/**
 * Whether a proof is for the URI of the request. A router may serve `/b/../a` and `/a` differently, so a proof for one does not
 * match the other.
 *
 * @param expected the URI of the request, without its query
 */
function isSameUri(htu: string, expected: string): boolean {
  if (htu === expected) return true
  if (REWRITTEN.test(expected)) return false
  const target = comparableUri(htu)
  return target !== undefined && target === comparableUri(expected)
}

function unescaped(escaped: string): string {
  const character = String.fromCharCode(Number.parseInt(escaped.slice(1), 16))
  return UNRESERVED.test(character) ? character : escaped.toUpperCase()
}

/** Seconds between two nonces. */
const STEP = 60
/** The maximum age of a nonce in steps, and how many steps the clock of another replica may be ahead. */
const OLD_STEPS = 2
const STEPS_AHEAD = 1

/**
 * The nonces of an origin (RFC 9449 8). A nonce is an HMAC over the time, so nothing is stored and all replicas agree. Clients
 * keep a nonce for each origin: an authorization server and the APIs on its origin share their nonces.
 */
export interface DpopNonces {
  readonly newest: (now: number) => string
  /** Whether this origin issued the nonce and it has not expired. */
  readonly accepts: (nonce: string, now: number) => boolean
  /** Whether the client gets a newer nonce. */
  readonly aged: (nonce: string, now: number) => boolean
}

export function dpopNonces(secrets: AcceptedSecrets, origin: string): DpopNonces {
  const [current] = secrets
  const nonceOf = (step: number, by = current) => hmacSha256(by, `dpop nonce\n${origin}\n${step}`)
  const stepAt = (now: number) => Math.floor(now / STEP)
  const isFrom = (nonce: string, first: number, last: number, by = current) => {
    for (let step = last; step >= first; step--) if (sameSecret(nonce, nonceOf(step, by))) return true
    return false
  }
  return {
    newest: (now) => nonceOf(stepAt(now)),
    accepts: (nonce, now) =>
      secrets.some((secret) => isFrom(nonce, stepAt(now) - OLD_STEPS, stepAt(now) + STEPS_AHEAD, secret)),
    aged: (nonce, now) => !isFrom(nonce, stepAt(now), stepAt(now) + STEPS_AHEAD),
  }
}

/** The maximum age of a proof without a nonce, in seconds (RFC 9449 11.1). */
const MAX_AGE = 300

/** Seconds after which a proof that is accepted now has expired everywhere. */
const PROOF_LIFETIME = MAX_AGE + CLOCK_TOLERANCE + 1

/**
 * Requires a recent proof (RFC 9449 4.3, check 11). A nonce of this server proves that, whatever the clock of the client
 * shows. A client whose clock is wrong gets a nonce and tries again.
 *
 * @returns a newer nonce, if the nonce of the proof has aged
 * @throws OAuthError `use_dpop_nonce`, which does not count as a failure of the client
 */
function requireFresh(
  { nonce, iat }: ProofClaims,
  nonces: DpopNonces,
  nonceRequired: boolean,
  now: number,
): ProofHeaders {
  const newer = () => ({ 'dpop-nonce': nonces.newest(now) })
  const fresh =
    nonce === undefined
      ? !nonceRequired && iat >= now - MAX_AGE && iat <= now + CLOCK_TOLERANCE
      : nonces.accepts(nonce, now)
  if (!fresh)
    throw new OAuthError(DPOP_ERRORS.dpop_nonce_needed, undefined, { headers: newer(), interim: true })
  return nonce !== undefined && nonces.aged(nonce, now) ? newer() : {}
}

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
      // The mark of a proof must outlast its freshness, so both are judged by the time at which they happen.
      const now = verifier.now()
      const { method } = request
      requireMatch(proof.claims, { method, uri: verifier.uriOf(request), accessToken }, now)
      const headers = requireFresh(proof.claims, verifier.nonces, verifier.nonceRequired, now)
      if (!isSignedBy(proof.jwk, proof.alg, proof.jws)) throw new OAuthError(DPOP_ERRORS.dpop_proof_signature)
      return headers
    },
    spend: used && (() => spend(used, proof.thumbprint, proof.claims, verifier.now())),
  }
}

/** Stores a hash, since the sender chooses `jti`. An unreachable store is a 503. */
async function spend(used: Transients, thumbprint: string, { htm, htu, jti }: ProofClaims, now: number) {
  const id = sha256(JSON.stringify(['dpop', thumbprint, htm, htu, jti]))
  await spendOnce(used, id, now + PROOF_LIFETIME, DPOP_ERRORS.dpop_proof_replayed)
}

/** The proofs at an API: every access token of the scheme `DPoP` needs one. */
export function proofsAt(verifier: ProofVerifier, required: boolean): ProofOfPossession {
  return {
    algorithms: verifier.algorithms,
    required,
    corsHeaders: { allowed: ['dpop'], exposed: ['DPoP-Nonce'] },
    present(request) {
      const key = presentedKey(verifier, request)
      if (key === undefined) throw new OAuthError(DPOP_ERRORS.dpop_proof_missing)
      return key
    },
  }
}
