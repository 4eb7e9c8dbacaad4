import { hmacSha256, sameSecret } from '../kernel/secrets.ts'

/** A nonce is new for this many seconds. */
const STEP = 60
/** How many steps a nonce may be old; or ahead, on a replica whose clock is. */
const OLDEST = 2
const AHEAD = 1

/**
 * The nonces of an origin (RFC 9449 8): an HMAC over the time, so nothing is stored and all replicas agree. Clients keep
 * one for each origin, so each origin has its own, and an authorization server and its APIs on one origin share them.
 */
export interface DpopNonces {
  readonly newest: (now: number) => string
  /** Whether it is one that is not too old. */
  readonly accepts: (nonce: string, now: number) => boolean
  /** Whether the client needs a newer one. */
  readonly aged: (nonce: string, now: number) => boolean
}

export function dpopNonces(secret: string, origin: string): DpopNonces {
  const nonceOf = (step: number) => hmacSha256(secret, `dpop nonce\n${origin}\n${step}`)
  const stepAt = (now: number) => Math.floor(now / STEP)
  const isFrom = (nonce: string, first: number, last: number) => {
    for (let step = last; step >= first; step--) if (sameSecret(nonce, nonceOf(step))) return true
    return false
  }
  return {
    newest: (now) => nonceOf(stepAt(now)),
    accepts: (nonce, now) => isFrom(nonce, stepAt(now) - OLDEST, stepAt(now) + AHEAD),
    aged: (nonce, now) => !isFrom(nonce, stepAt(now), stepAt(now) + AHEAD),
  }
}
