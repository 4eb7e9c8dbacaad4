import { hash } from 'node:crypto'

/** The number of allowed events per key, and the window in seconds from the first. */
export interface Room {
  readonly points: number
  readonly duration: number
}

/** Counts events by key. */
export interface Counter {
  /** Counts one event. @returns seconds until there is room again; 0 if there was room */
  take(key: string): Promise<number>
  /** Forgets one event of a key. */
  refund(key: string): Promise<void>
  /** Forgets every event of a key. */
  forget(key: string): Promise<void>
}

/** Creates counters. @param name separates the events of one counter from those of another */
export type CreateCounter = (name: string, room: Room) => Counter

/** Some ten megabytes: keys are made up by strangers. */
const MAX_KEYS = 50_000

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
export const countersInMemory: CreateCounter = (_, room) => counterInMemory(room)

interface Window {
  readonly endsAt: number
  taken: number
}

/**
 * Keeps the younger half of `mostKeys` at least. Older keys are forgotten: to refuse new ones would lock out everybody
 * who has done nothing yet.
 */
export function counterInMemory({ points, duration }: Room, mostKeys = MAX_KEYS): Counter {
  let young = new Map<string, Window>()
  let old = young

  function open(id: string, now: number): Window {
    // A whole Map is given up at once: deleting the first entry of a large Map takes longer with every deletion.
    if (young.size >= mostKeys / 2) [old, young] = [young, new Map()]
    const window = { endsAt: now + duration * 1000, taken: 0 }
    young.set(id, window)
    return window
  }

  return {
    async take(key) {
      const [id, now] = [keyHash(key), Date.now()]
      const kept = young.get(id) ?? old.get(id)
      const window = kept !== undefined && now < kept.endsAt ? kept : open(id, now)
      window.taken++
      return window.taken > points ? Math.ceil((window.endsAt - now) / 1000) : 0
    },
    async refund(key) {
      const id = keyHash(key)
      const window = young.get(id) ?? old.get(id)
      if (window !== undefined) window.taken = Math.max(window.taken - 1, 0)
    },
    async forget(key) {
      for (const windows of [young, old]) windows.delete(keyHash(key))
    },
  }
}

/** Short for any key, and no store shows addresses or e-mail addresses. */
export function keyHash(key: string): string {
  return hash('sha256', key, 'base64url')
}

/**
 * Counts nothing: there is always room.
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
  forget: async () => {},
})
