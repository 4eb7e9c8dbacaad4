import type { RateLimiter } from '@grantkit/core'
import { type EventCounter, networkLimits, type RateLimitWindow } from '@grantkit/core/feature'
import type { CreateCounter } from './counters.ts'

/**
 * The `rateLimiter` of the authorization server.
 *
 * @param createCounter where events are counted: `countersInMemory`, `countersInRedis(client)`, `sharedCounters(…)`
 * @param windows replace those that the server and its features declare (`description.rateLimits`), and so those of a
 *   caller's wider networks, unless these are set too: `device_request_56`, `device_request_48`
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
  windows: Readonly<Record<string, RateLimitWindow>> = {},
): RateLimiter {
  const counters = new Map<string, EventCounter>()
  const wider = Object.entries(windows).flatMap(([name, window]) => networkLimits(name, window))
  const set = new Map([
    ...wider.map(({ name, window }) => [name, window] as const),
    ...Object.entries(windows),
  ])
  return {
    async take(limit, key, declared) {
      const counter = counters.get(limit) ?? createCounter(limit, set.get(limit) ?? declared)
      counters.set(limit, counter)
      return counter.take(key)
    },
    refund: async (limit, key) => counters.get(limit)?.refund(key),
  }
}
