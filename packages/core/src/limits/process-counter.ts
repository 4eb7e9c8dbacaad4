/** Rate limits that are counted in this process: the protection of a server without a `rateLimiter`. */
import { sha256 } from '../kernel/secrets.ts'

/** The number of allowed events per key, and the length of a window, which begins with the first event of its key. */
export interface RateLimitWindow {
  readonly points: number
  readonly seconds: number
}

/** Counts events by key. */
export interface EventCounter {
  /** Counts one event. @returns seconds until the next event is allowed; 0 if this one was */
  take(key: string): Promise<number>
  /** Refunds one event of a key. */
  refund(key: string): Promise<void>
  /** Refunds all events of a key. */
  reset(key: string): Promise<void>
}

/** Some ten megabytes: callers can invent keys. */
const MAX_KEYS = 50_000

/**
 * Counts in fixed windows, and never more than `maxKeys` keys. When there are more, the older half is forgotten: rejecting
 * new keys would lock out callers without any event.
 *
 * @param now epoch seconds
 *
 * @example
 * ```ts
 * import { processCounter } from '@grantkit/core/feature'
 *
 * const attempts = processCounter({ points: 5, seconds: 60 }, () => Math.floor(Date.now() / 1000))
 * export const waitOf = (address: string) => attempts.take(address)
 * ```
 */
export function processCounter(
  { points, seconds }: RateLimitWindow,
  now: () => number,
  maxKeys = MAX_KEYS,
): EventCounter {
  let young = new Map<string, Window>()
  let old = young
  const windowOf = (hash: string) => young.get(hash) ?? old.get(hash)

  function open(hash: string): Window {
    // Drops a whole Map at once: deleting the first entry of a large Map takes longer with every deletion.
    if (young.size >= maxKeys / 2) [old, young] = [young, new Map()]
    const window = { endsAt: now() + seconds, taken: 0 }
    young.set(hash, window)
    return window
  }

  return {
    async take(key) {
      // A hash is short for any key, and no dump of the memory shows addresses.
      const hash = sha256(key)
      const kept = windowOf(hash)
      const window = kept !== undefined && now() < kept.endsAt ? kept : open(hash)
      window.taken++
      return window.taken > points ? Math.ceil(window.endsAt - now()) : 0
    },
    async refund(key) {
      const window = windowOf(sha256(key))
      if (window !== undefined) window.taken = Math.max(window.taken - 1, 0)
    },
    async reset(key) {
      for (const windows of [young, old]) windows.delete(sha256(key))
    },
  }
}

interface Window {
  /** Epoch seconds. */
  readonly endsAt: number
  taken: number
}
