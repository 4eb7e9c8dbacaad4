import { CLOCK_TOLERANCE } from '../kernel/kernel.ts'
import { OAuthError } from '../kernel/oauth-error.ts'
import { hmacSha256, sameSecret } from '../kernel/secrets.ts'
import type { AcceptedSecrets } from '../kernel/server-secret.ts'
import type { ProofHeaders } from '../tokens/proof-of-possession.ts'
import { DPOP_ERRORS, type ProofClaims } from './dpop-proof.ts'

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
export const PROOF_LIFETIME = MAX_AGE + CLOCK_TOLERANCE + 1

const NONCE_HEADER = 'dpop-nonce'

/**
 * Requires a recent proof (RFC 9449 4.3, check 11). A nonce of this server proves that, whatever the clock of the client
 * shows. A client whose clock is wrong gets a nonce and tries again.
 *
 * @returns a newer nonce, if the nonce of the proof has aged
 * @throws OAuthError `use_dpop_nonce`, which does not count as a failure of the client
 */
export function requireFresh(
  { nonce, iat }: ProofClaims,
  nonces: DpopNonces,
  nonceRequired: boolean,
  now: number,
): ProofHeaders {
  const newer = () => ({ [NONCE_HEADER]: nonces.newest(now) })
  const fresh =
    nonce === undefined
      ? !nonceRequired && iat >= now - MAX_AGE && iat <= now + CLOCK_TOLERANCE
      : nonces.accepts(nonce, now)
  if (!fresh)
    throw new OAuthError(DPOP_ERRORS.dpop_nonce_needed, undefined, { headers: newer(), interim: true })
  return nonce !== undefined && nonces.aged(nonce, now) ? newer() : {}
}
