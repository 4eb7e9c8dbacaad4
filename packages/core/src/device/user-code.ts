import type { HttpRequest } from '../http/http.ts'
import { defineErrors } from '../kernel/oauth-error.ts'
import { hmacSha256, type Random, sha256 } from '../kernel/secrets.ts'
import { callerNetwork, type Limiter, type RateLimits } from '../limits/rate-limits.ts'

/** Consonants without look-alikes: no code spells a word, and none needs a guess at what it says (RFC 8628 6.1). */
const ALPHABET = 'BCDFGHJKLMNPQRSTVWXZ'
const LENGTH = 8
const WELL_FORMED = new RegExp(`^[${ALPHABET}]{${LENGTH}}$`)

/** The most that is read of what a person types. */
const MAX_INPUT_LENGTH = 32

/** The largest multiple of the alphabet in a byte: above it, some letters would come up more often. */
const FAIR_BYTES = 256 - (256 % ALPHABET.length)

/** 20^8 codes: good for the minutes of a request, and only together with a count of the wrong ones (RFC 8628 5.1). */
export function newUserCode(random: Random): string {
  let code = ''
  while (code.length < LENGTH)
    for (const byte of random(LENGTH))
      if (byte < FAIR_BYTES && code.length < LENGTH) code += ALPHABET[byte % ALPHABET.length]
  return code
}

/**
 * The code in what a person typed: in any case, with any separators (RFC 8628 6.1).
 *
 * @returns `undefined` for what no code can be
 */
export function typedUserCode(input: string): string | undefined {
  const code = input
    .slice(0, MAX_INPUT_LENGTH)
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]/g, '')
  return WELL_FORMED.test(code) ? code : undefined
}

/** The code as people read it: in two halves. */
export function shownUserCode(code: string): string {
  return `${code.slice(0, LENGTH / 2)}-${code.slice(LENGTH / 2)}`
}

/**
 * The id of the request with this code. A plain hash of so few codes is undone in seconds; without the secret of the
 * server, this one is not.
 */
export function requestIdOf(secret: string, code: string): string {
  return hmacSha256(secret, `user code\n${code}`).slice(0, 22)
}

export const USER_CODE_ERRORS = defineErrors({
  too_many_user_codes: ['temporarily_unavailable', 'Too many codes were tried; try again later', 429],
})

export const USER_CODE_LIMITS: RateLimits = {
  user_code: { points: 10, seconds: 600, withoutLimiter: true },
  user_code_network: { points: 50, seconds: 600, withoutLimiter: true },
}

/**
 * Counts a try at a user code, the one thing here that is short enough to guess (RFC 8628 5.1). It counts before the code is
 * looked up: over the limit, a right one opens nothing either.
 *
 * @returns takes this one try back; those before it stay counted
 * @throws OAuthError 429
 */
export async function countTry(
  limiter: Limiter,
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
