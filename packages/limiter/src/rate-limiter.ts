import type { RateLimit, RateLimiter } from '@grantkit/core'
import type { CreateCounter, Room } from './counters.ts'

const MINUTE = 60

/** Wide enough for a school behind one address. */
const ROOMS: Readonly<Record<RateLimit, Room>> = {
  registration: { points: 100, duration: 10 * MINUTE },
  client_failure: { points: 100, duration: 10 * MINUTE },
  unknown_document: { points: 10, duration: 60 * MINUTE },
}

/**
 * The `rateLimiter` of the authorization server.
 *
 * @param createCounter where events are counted: `countersInMemory`, `countersInRedis(client)`, `sharedCounters(…)`
 * @param rooms in place of the defaults: 100 registrations and 100 failures in 10 minutes, 10 unknown documents an hour
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
  }
  return { take: (limit, key) => counters[limit].take(key) }
}
