import type { HttpRequest } from '../http/http.ts'
import { defineErrors } from '../kernel/oauth-error.ts'
import { sha256 } from '../kernel/secrets.ts'
import { callerNetwork, type SafeLimiter } from '../limits/rate-limits.ts'

export const USER_CODE_ERRORS = defineErrors({
  too_many_user_codes: ['temporarily_unavailable', 'Too many codes were tried; try again later', 429],
})

/**
 * Counts a try at a user code, the one thing here that is short enough to guess (RFC 8628 5.1). It counts before the code is
 * looked up: over the limit, a right one opens nothing either.
 *
 * @returns takes this one try back; those before it stay counted
 * @throws OAuthError 429
 */
export async function countTry(
  limiter: SafeLimiter,
  subject: string,
  request: HttpRequest,
): Promise<() => Promise<unknown>> {
  const { too_many_user_codes } = USER_CODE_ERRORS
  const network = callerNetwork(request)
  const user = sha256(subject)
  // The user comes first: who is over the limit takes nothing from the others in the network.
  await limiter.limit('user_code', user, too_many_user_codes)
  await limiter.limit('user_code_network', network, too_many_user_codes)
  return () => Promise.all([limiter.refund('user_code', user), limiter.refund('user_code_network', network)])
}
