import * as z from 'zod'
import { CLOCK_TOLERANCE } from '../kernel/kernel.ts'
import { OAuthError } from '../kernel/oauth-error.ts'
import type { AssertionClaims } from './assertion.ts'
import { JWT_GRANT_ERRORS } from './jwt-grant-errors.ts'

/** A NumericDate may have a fraction (RFC 7519 2), which is cut. */
const NumericDate = z.number().min(0).max(Number.MAX_SAFE_INTEGER).transform(Math.floor)
const Times = z.object({ exp: NumericDate, iat: NumericDate.optional(), nbf: NumericDate.optional() })

/**
 * Checks `exp`, `iat` and `nbf` (RFC 7523 3). An assertion without `iat` is measured from now.
 *
 * @param longest the maximum lifetime of an assertion, in seconds
 * @returns `exp`, in epoch seconds
 * @throws OAuthError `invalid_grant`
 */
export function checkTimes(claims: AssertionClaims, longest: number, now: number): number {
  const times = Times.safeParse(claims).data
  if (times === undefined) throw new OAuthError(JWT_GRANT_ERRORS.jwt_grant_claims)
  const { exp, iat = now, nbf = now } = times
  if (exp <= now - CLOCK_TOLERANCE) throw new OAuthError(JWT_GRANT_ERRORS.jwt_grant_expired)
  if (Math.max(iat, nbf) > now + CLOCK_TOLERANCE) throw new OAuthError(JWT_GRANT_ERRORS.jwt_grant_early)
  if (exp - iat > longest + CLOCK_TOLERANCE) throw new OAuthError(JWT_GRANT_ERRORS.jwt_grant_too_long)
  return exp
}

/**
 * Checks `aud`. An array of several audiences is refused: another server could have requested the assertion to replay it here
 * (RFC 7523bis 4).
 *
 * @throws OAuthError `invalid_grant`
 */
export function checkAudience(
  { aud }: AssertionClaims,
  accepted: readonly string[],
  manyAudiences = false,
): void {
  const named: readonly unknown[] = Array.isArray(aud) ? aud : [aud]
  const isFor = named.some((one) => accepted.some((audience) => audience === one))
  if (!isFor || (named.length !== 1 && !manyAudiences))
    throw new OAuthError(JWT_GRANT_ERRORS.jwt_grant_audience)
}
