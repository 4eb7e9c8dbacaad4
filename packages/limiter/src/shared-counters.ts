import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { type RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible'
import { type Counter, type CreateCounter, counterInMemory, keyHash, type Room } from './counters.ts'

export type OnError = (error: unknown) => void

/** A limit is not worth a longer wait: the request that it counts has the store to wait for. */
const REPLY_MS = 200
const PAUSE_MS = 1000

/**
 * Counts for all replicas together, where they share the events. While that place is unreachable or silent, each replica
 * counts alone: after a failure for a second, in which nobody asks there.
 *
 * @param limiterFor one that counts in that place
 * @param onError gets the first failure after an answer. Default: the console
 *
 * @example
 * ```ts
 * import { rateLimiter, sharedCounters } from '@grantkit/limiter'
 * import { connectToPostgres } from '@grantkit/store-postgres'
 * import { RateLimiterPostgres } from 'rate-limiter-flexible'
 *
 * const storeClient = await connectToPostgres('postgres://127.0.0.1/app')
 * const counters = sharedCounters((name, room) => {
 *   return new RateLimiterPostgres({ storeClient, tableName: 'limits', tableCreated: true, keyPrefix: name, ...room })
 * })
 * export const limiter = rateLimiter(counters)
 * ```
 */
export function sharedCounters(
  limiterFor: (name: string, room: Room) => RateLimiterAbstract,
  onError: OnError = (error) => console.error('Grantkit: rate limits are not shared:', error),
): CreateCounter {
  let aloneUntil = Number.NEGATIVE_INFINITY
  let failing = false
  return (name, room) => {
    const shared = counterOf(limiterFor(name, room))
    const own = counterInMemory(room)

    async function either<T>(ask: (counter: Counter) => Promise<T>): Promise<T> {
      if (performance.now() < aloneUntil) return ask(own)
      try {
        const answer = await Promise.race([ask(shared), silence()])
        failing = false
        return answer
      } catch (error) {
        if (!failing) onError(error)
        failing = true
        aloneUntil = performance.now() + PAUSE_MS
        return ask(own)
      }
    }
    return {
      take: (key) => either((counter) => counter.take(key)),
      refund: (key) => either((counter) => counter.refund(key)),
      async forget(key) {
        await own.forget(key)
        await either((counter) => counter.forget(key))
      },
    }
  }
}

function counterOf(limiter: RateLimiterAbstract): Counter {
  return {
    async take(key) {
      try {
        await limiter.consume(keyHash(key))
        return 0
      } catch (full) {
        if (full instanceof RateLimiterRes) return Math.max(1, Math.ceil(full.msBeforeNext / 1000))
        throw full
      }
    },
    refund: async (key) => void (await limiter.reward(keyHash(key))),
    forget: async (key) => void (await limiter.delete(keyHash(key))),
  }
}

async function silence(): Promise<never> {
  await sleep(REPLY_MS, undefined, { ref: false })
  // If this process stood still, the reply may be there and only unread.
  await setImmediate()
  throw new Error(`There was no reply within ${REPLY_MS} ms`)
}
