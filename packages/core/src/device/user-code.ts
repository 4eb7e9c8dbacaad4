import type { HttpRequest } from '../http/http.ts'
import { defineErrors } from '../kernel/oauth-error.ts'
import { hmacSha256, type Random, sha256 } from '../kernel/secrets.ts'
import type { Limiter, RateLimits } from '../limits/rate-limits.ts'

/** Consonants that are easy to distinguish: no code spells a word (RFC 8628 6.1). */
const ALPHABET = 'BCDFGHJKLMNPQRSTVWXZ'
const LENGTH = 8
const WELL_FORMED = new RegExp(`^[${ALPHABET}]{${LENGTH}}$`)

/** The maximum length of the input that is read. */
const MAX_INPUT_LENGTH = 32

/** The largest multiple of the alphabet in a byte: with larger bytes, some letters would be more frequent. */
const FAIR_BYTES = 256 - (256 % ALPHABET.length)

/** One of 20^8 codes: enough for some minutes, together with a limit of wrong codes (RFC 8628 5.1). */
export function newUserCode(random: Random): string {
  let code = ''
  while (code.length < LENGTH)
    for (const byte of random(LENGTH))
      if (byte < FAIR_BYTES && code.length < LENGTH) code += ALPHABET[byte % ALPHABET.length]
  return code
}

/**
 * The code in the user's input, in upper or lower case and with any separators (RFC 8628 6.1).
 *
 * @returns `undefined` if the input is not a code
 */
export function typedUserCode(input: string): string | undefined {
  const code = input
    .slice(0, MAX_INPUT_LENGTH)
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]/g, '')
  return WELL_FORMED.test(code) ? code : undefined
}

/** The code as users see it: in two halves. */
export function shownUserCode(code: string): string {
  return `${code.slice(0, LENGTH / 2)}-${code.slice(LENGTH / 2)}`
}

/**
 * The id of the request with this code. It is an HMAC with the secret of the server: a plain hash of so few codes could be
 * reversed in seconds.
 */
export function requestIdOf(secret: string, code: string): string {
  return hmacSha256(secret, `user code\n${code}`).slice(0, 22)
}

export const USER_CODE_ERRORS = defineErrors({
  too_many_user_codes: ['temporarily_unavailable', 'Too many wrong codes. Try again later', 429],
})

export const USER_CODE_LIMITS: RateLimits = {
  user_code: { points: 10, seconds: 600, withoutLimiter: true },
  user_code_network: { points: 50, seconds: 600, withoutLimiter: true },
}

/**
 * Counts an attempt at a user code, which is short enough to guess (RFC 8628 5.1). It counts before the code is looked up: over
 * the limit, a correct code does not work either.
 *
 * @returns refunds this attempt; earlier attempts stay counted
 * @throws OAuthError 429
 */
export async function countAttempt(
  limiter: Limiter,
  subject: string,
  request: HttpRequest,
): Promise<() => Promise<unknown>> {
  const { too_many_user_codes } = USER_CODE_ERRORS
  const user = sha256(subject)
  // The user comes first: a user over the limit does not use up the limit of the network.
  await limiter.limit('user_code', user, too_many_user_codes)
  await limiter.limitCaller('user_code_network', request, too_many_user_codes)
  return () =>
    Promise.all([limiter.refund('user_code', user), limiter.refundCaller('user_code_network', request)])
}
