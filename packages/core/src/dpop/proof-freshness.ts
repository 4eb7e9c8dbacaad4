import { defineErrors, OAuthError } from '../kernel/oauth-error.ts'
import type { ProofHeaders } from '../tokens/proof-of-possession.ts'
import type { DpopNonces } from './dpop-nonce.ts'
import type { ProofClaims } from './dpop-proof.ts'

export const NONCE_ERRORS = defineErrors({
  dpop_nonce_needed: ['use_dpop_nonce', 'The DPoP proof needs the nonce of the DPoP-Nonce header'],
})

/** How old a proof without a nonce may be, and how far ahead its clock, in seconds (RFC 9449 11.1). */
const OLDEST = 300
const AHEAD = 60

/** Seconds after which no proof that is accepted now is accepted again. */
export const PROOF_LIFETIME = OLDEST + AHEAD + 1

const NONCE_HEADER = 'dpop-nonce'

/**
 * That the proof was made lately (RFC 9449 4.3, check 11). A nonce of this server proves it, whatever the clock of the
 * client says; so a client with a wrong clock gets one, and tries again.
 *
 * @returns a newer nonce, when the one of the proof has aged
 * @throws OAuthError `use_dpop_nonce`, which is no failure of the client
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
      ? !nonceRequired && iat >= now - OLDEST && iat <= now + AHEAD
      : nonces.accepts(nonce, now)
  if (!fresh)
    throw new OAuthError(NONCE_ERRORS.dpop_nonce_needed, undefined, { headers: newer(), interim: true })
  return nonce !== undefined && nonces.aged(nonce, now) ? newer() : {}
}
