import { RateLimiterRedis } from 'rate-limiter-flexible'
import type { CreateCounter } from './counters.ts'
import { type OnError, sharedCounters } from './shared-counters.ts'

/**
 * Counts in Redis or Valkey, for all replicas together.
 *
 * @param storeClient a connected client of the package `redis` or `@redis/client`, version 5 or newer
 * @param onError gets the first failure after an answer. Default: the console
 *
 * @example
 * ```ts
 * import { countersInRedis, rateLimiter } from '@grantkit/limiter'
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
