/** The rules for the claims of a client assertion (RFC 7523 3). Claims and time go in, what marks it as spent comes out. */
import { z } from 'zod'
import { CLOCK_TOLERANCE } from '../kernel/kernel.ts'
import { type ErrorDefinition, OAuthError } from '../kernel/oauth-error.ts'
import { ASSERTION_ERRORS } from './assertion-errors.ts'

/** The longest life of an assertion, in seconds: a replay must be remembered for as long. */
const MAX_ASSERTION_LIFETIME = 10 * 60

const Claims = z.object({
  iss: z.string(),
  sub: z.string(),
  aud: z.union([z.string(), z.tuple([z.string()])]).transform(String),
  exp: z.number(),
  iat: z.number().optional(),
  nbf: z.number().optional(),
  jti: z.string().min(1).max(200),
})

const MALFORMED: Readonly<Record<string, ErrorDefinition>> = {
  aud: ASSERTION_ERRORS.assertion_audience,
  exp: ASSERTION_ERRORS.assertion_expired,
  jti: ASSERTION_ERRORS.assertion_jti,
}

export interface ExpectedClaims {
  readonly clientId: string
  /**
   * An assertion is for one server alone: an array of several values is refused, even with this server among them
   * (RFC 7523bis 3). Another server could have asked the client for one, to send it here.
   */
  readonly audiences: readonly string[]
  /** Whether an array of one is refused as well. */
  readonly stringAudience: boolean
  /** Epoch seconds. */
  readonly now: number
}

export interface SpentOnce {
  readonly jti: string
  /** No clock takes the assertion after this time, in epoch seconds. */
  readonly until: number
}

/** @throws OAuthError `invalid_client` */
export function checkedClaims(
  claims: Readonly<Record<string, unknown>>,
  { clientId, audiences, stringAudience, now }: ExpectedClaims,
): SpentOnce {
  const parsed = Claims.safeParse(claims)
  if (!parsed.success)
    throw new OAuthError(
      MALFORMED[String(parsed.error.issues[0]?.path[0])] ?? ASSERTION_ERRORS.assertion_malformed,
    )
  const { iss, sub, aud, exp, iat = now, nbf = now, jti } = parsed.data
  const refuse = (refusal: ErrorDefinition) => {
    throw new OAuthError(refusal)
  }
  if (iss !== clientId || sub !== clientId) refuse(ASSERTION_ERRORS.assertion_issuer)
  if (!audiences.includes(aud) || (stringAudience && Array.isArray(claims.aud)))
    refuse(ASSERTION_ERRORS.assertion_audience)
  if (exp + CLOCK_TOLERANCE <= now) refuse(ASSERTION_ERRORS.assertion_expired)
  if (exp > now + MAX_ASSERTION_LIFETIME + CLOCK_TOLERANCE) refuse(ASSERTION_ERRORS.assertion_too_long)
  if (Math.max(iat, nbf) > now + CLOCK_TOLERANCE) refuse(ASSERTION_ERRORS.assertion_early)
  // Twice: the clock of the store may be ahead of that of a replica.
  return { jti, until: Math.ceil(exp) + 2 * CLOCK_TOLERANCE }
}
