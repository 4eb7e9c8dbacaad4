import { type EventCounter, processCounter, type RateLimitWindow, systemClock } from '@grantkit/core/feature'

/** Creates counters. @param name separates the events of two counters */
export type CreateCounter = (name: string, window: RateLimitWindow) => EventCounter

/**
 * Counts in this process only.
 *
 * @example
 * ```ts
 * import { countersInMemory, rateLimiter } from '@grantkit/limiter'
 *
 * export const limiter = rateLimiter(countersInMemory)
 * ```
 */
export const countersInMemory: CreateCounter = (_, window) => processCounter(window, systemClock)

/**
 * Counts nothing: every event is allowed.
 *
 * @example
 * ```ts
 * import { noCounters, signInLimits } from '@grantkit/limiter'
 *
 * // For the tests of an application.
 * export const limits = signInLimits(noCounters)
 * ```
 */
export const noCounters: CreateCounter = () => ({
  take: async () => 0,
  refund: async () => {},
  reset: async () => {},
})
