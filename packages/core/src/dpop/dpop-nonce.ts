import { hmacSha256, sameSecret } from '../kernel/secrets.ts'
import { acceptedSecrets, type ServerSecret } from '../kernel/server-secret.ts'

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

export function dpopNonces(secret: ServerSecret, origin: string): DpopNonces {
  const secrets = acceptedSecrets(secret, 'dpop: ')
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
      secrets.some((secret) => isFrom(nonce, stepAt(now) - OLDEST, stepAt(now) + AHEAD, secret)),
    aged: (nonce, now) => !isFrom(nonce, stepAt(now), stepAt(now) + AHEAD),
  }
}
