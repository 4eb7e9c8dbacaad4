import { RateLimiterRedis } from 'rate-limiter-flexible'
import type { CreateCounter } from './counters.ts'
import { sharedCounters } from './shared-counters.ts'

/**
 * Counts in Redis or Valkey, for all replicas together.
 *
 * @param storeClient a connected client of the package `redis` or `@redis/client`, version 5 or newer
 */
export function countersInRedis(storeClient: unknown): CreateCounter {
  return sharedCounters((name, room) => {
    const keyPrefix = `grantkit:limit:${name}`
    const connection = { storeClient, useRedisPackage: true, rejectIfRedisNotReady: true }
    return new RateLimiterRedis({ keyPrefix, ...connection, ...room })
  })
}
