import type { RateLimit, RateLimiter } from '@grantkit/core'
import type { CreateCounter, Room } from './counters.ts'

const MINUTE = 60

/**
 * Wide enough for a school behind one address. A device whose clock runs a third too fast polls 18 times a minute, and is in
 * order.
 */
const ROOMS: Readonly<Record<RateLimit, Room>> = {
  registration: { points: 100, duration: 10 * MINUTE },
  client_failure: { points: 100, duration: 10 * MINUTE },
  unknown_document: { points: 10, duration: 60 * MINUTE },
  client_credentials: { points: 600, duration: 10 * MINUTE },
  device_request: { points: 30, duration: 10 * MINUTE },
  device_poll: { points: 18, duration: MINUTE },
  user_code: { points: 10, duration: 10 * MINUTE },
  user_code_network: { points: 50, duration: 10 * MINUTE },
}

/**
 * The `rateLimiter` of the authorization server.
 *
 * @param createCounter where events are counted: `countersInMemory`, `countersInRedis(client)`, `sharedCounters(…)`
 * @param rooms in place of the defaults: 100 registrations and 100 failures in 10 minutes, 10 unknown documents an hour, …
 *
 * @example
 * ```ts with:server
 * import { createAuthorizationServer } from '@grantkit/core'
 * import { countersInMemory, rateLimiter } from '@grantkit/limiter'
 *
 * const limiter = rateLimiter(countersInMemory, { registration: { points: 20, duration: 600 } })
 * createAuthorizationServer({ issuer, store, scopes, secret, interaction, rateLimiter: limiter })
 * ```
 */
export function rateLimiter(
  createCounter: CreateCounter,
  rooms: Partial<Readonly<Record<RateLimit, Room>>> = {},
): RateLimiter {
  const given = { ...ROOMS, ...rooms }
  const counters = {
    registration: createCounter('registration', given.registration),
    client_failure: createCounter('client_failure', given.client_failure),
    unknown_document: createCounter('unknown_document', given.unknown_document),
    client_credentials: createCounter('client_credentials', given.client_credentials),
    device_request: createCounter('device_request', given.device_request),
    device_poll: createCounter('device_poll', given.device_poll),
    user_code: createCounter('user_code', given.user_code),
    user_code_network: createCounter('user_code_network', given.user_code_network),
  }
  return {
    take: (limit, key) => counters[limit].take(key),
    refund: (limit, key) => counters[limit].refund(key),
  }
}
