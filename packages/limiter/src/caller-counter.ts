import { networkLimits, networksOf, type RateLimitWindow } from '@grantkit/core/feature'
import type { CreateCounter } from './counters.ts'

/** Counts events of callers by their networks. */
export interface CallerCounter {
  /**
   * Counts one event.
   *
   * @param address of the caller, with or without a port; all texts that are no address count as one
   * @param subject what the caller tries, if each has a count of its own: an account
   * @returns seconds until the next event is allowed; 0 if this one was
   */
  take(address: string, subject?: string): Promise<number>
  /** Refunds one event. */
  refund(address: string, subject?: string): Promise<void>
  /** Refunds all events. */
  reset(address: string, subject?: string): Promise<void>
}

/**
 * Counts an IPv4 address for itself, and an IPv6 address for its /64, its /56 and its /48, since one subscriber may have
 * any of them. A /56 may have twice as many events as a /64, a /48 four times as many.
 *
 * @param window of an IPv4 address or a /64
 *
 * @example
 * ```ts
 * import { callerCounter, countersInMemory } from '@grantkit/limiter'
 *
 * const orders = callerCounter(countersInMemory, 'order', { points: 20, seconds: 60 })
 * // Seconds to wait, or 0.
 * export const waitOf = (address: string) => orders.take(address)
 * ```
 */
export function callerCounter(
  createCounter: CreateCounter,
  name: string,
  window: RateLimitWindow,
): CallerCounter {
  const counters = networkLimits(name, window).map((limit) => createCounter(limit.name, limit.window))

  function countersOf(address: string, subject = '') {
    const keys = networksOf(address).map((network) => `${network} ${subject}`.trimEnd())
    return counters.flatMap((counter, index) => {
      const key = keys[index]
      return key === undefined ? [] : [{ counter, key }]
    })
  }

  return {
    async take(address, subject) {
      for (const { counter, key } of countersOf(address, subject)) {
        const wait = await counter.take(key)
        if (wait > 0) return wait
      }
      return 0
    },
    async refund(address, subject) {
      await Promise.all(countersOf(address, subject).map(({ counter, key }) => counter.refund(key)))
    },
    async reset(address, subject) {
      await Promise.all(countersOf(address, subject).map(({ counter, key }) => counter.reset(key)))
    },
  }
}
