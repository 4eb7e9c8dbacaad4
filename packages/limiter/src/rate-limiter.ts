import type { RateLimit, RateLimiter, RateLimitWindow } from '@grantkit/core'
import type { CreateCounter } from './counters.ts'

const MINUTE = 60

/**
 * Wide enough for a school behind one address. A device whose clock runs a third too fast polls 18 times a minute, and is in
 * order.
 */
const WINDOWS: Readonly<Record<RateLimit, RateLimitWindow>> = {
  registration: { points: 100, seconds: 10 * MINUTE },
  client_failure: { points: 100, seconds: 10 * MINUTE },
  unknown_document: { points: 10, seconds: 60 * MINUTE },
  client_credentials: { points: 600, seconds: 10 * MINUTE },
  device_request: { points: 30, seconds: 10 * MINUTE },
  device_poll: { points: 18, seconds: MINUTE },
  user_code: { points: 10, seconds: 10 * MINUTE },
  user_code_network: { points: 50, seconds: 10 * MINUTE },
}

/**
 * The `rateLimiter` of the authorization server.
 *
 * @param createCounter where events are counted: `countersInMemory`, `countersInRedis(client)`, `sharedCounters(…)`
 * @param windows replace the defaults: 100 registrations and 100 failures in 10 minutes, 10 unknown documents an hour, …
 *
 * @example
 * ```ts with:server
 * import { createAuthorizationServer } from '@grantkit/core'
 * import { countersInMemory, rateLimiter } from '@grantkit/limiter'
 *
 * const limiter = rateLimiter(countersInMemory, { registration: { points: 20, seconds: 600 } })
 * createAuthorizationServer({ issuer, store, scopes, secret, interaction, rateLimiter: limiter })
 * ```
 */
export function rateLimiter(
  createCounter: CreateCounter,
  windows: Partial<Readonly<Record<RateLimit, RateLimitWindow>>> = {},
): RateLimiter {
  const counters = new Map(
    Object.entries({ ...WINDOWS, ...windows }).map(([name, window]) => [name, createCounter(name, window)]),
  )
  return {
    take: async (limit, key) => counters.get(limit)?.take(key) ?? 0,
    refund: async (limit, key) => counters.get(limit)?.refund(key),
  }
}
