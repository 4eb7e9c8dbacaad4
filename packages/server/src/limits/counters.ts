import { type RateLimitWindow, sha256 } from '@grantkit/core/feature'
import {
  type EventCounter,
  processCounter,
  systemClock,
  systemTime,
  type Time,
} from '@grantkit/core/internal'
import { type RateLimiterAbstract, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'

/** Creates counters. @param name separates the events of two counters */
export type CreateCounter = (name: string, window: RateLimitWindow) => EventCounter

/**
 * Counts in this process only.
 *
 * @example
 * ```ts
 * import { countersInMemory, rateLimiter } from '@grantkit/server/rate-limits'
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
 * import { noCounters, signInLimits } from '@grantkit/server/rate-limits'
 *
 * // For the tests of an application.
 * export const limits = signInLimits(noCounters)
 * ```
 */
export const noCounters: CreateCounter = () => ({
  take: async () => 0,
  refund: async () => {},
  reset: async () => {},
  extend: async () => 0,
})

export type OnError = (error: unknown) => void

/**
 * Counts in Redis or Valkey, for all replicas together.
 *
 * @param storeClient a connected client of the package `redis` or `@redis/client`, version 5 or newer
 * @param onError gets the first failure after an answer. Default: the console
 *
 * @example
 * ```ts
 * import { countersInRedis, rateLimiter } from '@grantkit/server/rate-limits'
 * import { connectToRedis } from '@grantkit/store-redis'
 *
 * const { client } = await connectToRedis('redis://127.0.0.1:6379')
 * export const limiter = rateLimiter(countersInRedis(client))
 * ```
 */
export function countersInRedis(storeClient: unknown, onError?: OnError): CreateCounter {
  return sharedCounters((name, { points, seconds }) => {
    const window = { keyPrefix: `grantkit:limit:${name}`, points, duration: seconds }
    return new RateLimiterRedis({
      storeClient,
      useRedisPackage: true,
      rejectIfRedisNotReady: true,
      ...window,
    })
  }, onError)
}

/** A limit is not worth a longer wait: the request that it counts has the store to wait for. */
const REPLY_MS = 200
const PAUSE_MS = 1000

/**
 * Counts for all replicas together, in a store that they share. While that store is unreachable or silent, each replica
 * counts in its own memory: after a failure for a second, in which the store gets no request.
 *
 * @param limiterFor creates a limiter that counts in the shared store
 * @param onError gets the first failure after an answer. Default: the console
 * @param time waits, for tests. Default: the timers of the runtime
 *
 * @example
 * ```ts
 * import { rateLimiter, sharedCounters } from '@grantkit/server/rate-limits'
 * import { connectToPostgres } from '@grantkit/store-postgres'
 * import { RateLimiterPostgres } from 'rate-limiter-flexible'
 *
 * const storeClient = await connectToPostgres('postgres://127.0.0.1/app')
 * const counters = sharedCounters((keyPrefix, { points, seconds }) => {
 *   const table = { tableName: 'limits', tableCreated: true }
 *   return new RateLimiterPostgres({ storeClient, ...table, keyPrefix, points, duration: seconds })
 * })
 * export const limiter = rateLimiter(counters)
 * ```
 */
export function sharedCounters(
  limiterFor: (name: string, window: RateLimitWindow) => RateLimiterAbstract,
  onError: OnError = (error) => console.error('Grantkit: rate limits are not shared:', error),
  time: Time = systemTime,
): CreateCounter {
  let alone = false
  let failing = false
  return (name, window) => {
    const shared = counterOf(limiterFor(name, window))
    const own = countersInMemory(name, window)

    async function either<T>(ask: (counter: EventCounter) => Promise<T>): Promise<T> {
      if (alone) return ask(own)
      const deadline = silence(time)
      try {
        const answer = await Promise.race([ask(shared), deadline.over])
        failing = false
        return answer
      } catch (error) {
        if (!failing) onError(error)
        failing = true
        alone = true
        time.after(PAUSE_MS, () => {
          alone = false
        })
        return ask(own)
      } finally {
        deadline.cancel()
      }
    }
    return {
      take: (key) => either((counter) => counter.take(key)),
      refund: (key) => either((counter) => counter.refund(key)),
      async reset(key) {
        await own.reset(key)
        await either((counter) => counter.reset(key))
      },
      extend: (key, seconds) => either((counter) => counter.extend(key, seconds)),
    }
  }
}

function counterOf(limiter: RateLimiterAbstract): EventCounter {
  return {
    async take(key) {
      try {
        await limiter.consume(sha256(key))
        return 0
      } catch (full) {
        if (full instanceof RateLimiterRes) return Math.max(1, Math.ceil(full.msBeforeNext / 1000))
        throw full
      }
    },
    refund: async (key) => void (await limiter.reward(sha256(key))),
    reset: async (key) => void (await limiter.delete(sha256(key))),
    async extend(key, seconds) {
      const hash = sha256(key)
      const window = await limiter.get(hash)
      if (window === null) return 0
      // An event in between is not counted. Whoever extends a window lets few events happen at once.
      await limiter.set(hash, window.consumedPoints, seconds)
      return window.consumedPoints
    },
  }
}

/** Rejects when a reply takes too long. */
function silence(time: Time) {
  let cancel = () => {}
  const over = new Promise<never>((_, reject) => {
    const giveUp = () => reject(new Error(`There was no reply within ${REPLY_MS} ms`))
    // If this process stood still, the reply may be there and only unread: it is read before a timer that is set now.
    cancel = time.after(REPLY_MS, () => {
      cancel = time.after(0, giveUp)
    })
  })
  return { over, cancel: () => cancel() }
}
