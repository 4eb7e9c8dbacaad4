import { hash } from 'node:crypto'
import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterRedis,
  RateLimiterRes,
} from 'rate-limiter-flexible'

/** The number of allowed events per key, and the window in seconds from the first. */
interface Room {
  readonly points: number
  readonly duration: number
}

/** Counts events by key. */
interface Counter {
  /** Counts one event. @returns seconds until there is room again; 0 if there was room */
  take(key: string): Promise<number>
  /** Forgets every event of a key. */
  forget(key: string): Promise<void>
}

/** Creates counters. @param name separates the events of one counter from those of another */
export type CreateCounter = (name: string, room: Room) => Counter

/** Counts in this process only. */
export const countersInMemory: CreateCounter = (name, room) =>
  counterOf(new RateLimiterMemory({ keyPrefix: name, ...room }))

/** Counts for all replicas together. While Redis is unreachable, each replica counts alone. */
export function countersInRedis(storeClient: unknown): CreateCounter {
  return (name, room) => {
    const options = { keyPrefix: `grantkit:limit:${name}`, ...room }
    return counterOf(
      new RateLimiterRedis({
        ...options,
        storeClient,
        useRedisPackage: true,
        rejectIfRedisNotReady: true,
        insuranceLimiter: new RateLimiterMemory(options),
      }),
    )
  }
}

/** Counts nothing: there is always room. */
export const noCounters: CreateCounter = () => ({ take: async () => 0, forget: async () => {} })

function counterOf(limiter: RateLimiterAbstract): Counter {
  return {
    async take(key) {
      try {
        await limiter.consume(hashed(key))
        return 0
      } catch (full) {
        if (full instanceof RateLimiterRes) return Math.max(1, Math.ceil(full.msBeforeNext / 1000))
        throw full
      }
    },
    forget: async (key) => void (await limiter.delete(hashed(key))),
  }
}

/** Short for any key, and the store shows no addresses or e-mail addresses. */
function hashed(key: string): string {
  return hash('sha256', key, 'base64url')
}
