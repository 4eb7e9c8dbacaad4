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
  /** Forgets every event of a key. */
  forget(key: string): Promise<void>
}

/** Creates counters. @param name separates the events of one counter from those of another */
export type CreateCounter = (name: string, room: Room) => Counter

/** Some ten megabytes: keys are made up by strangers. */
const MOST_KEYS = 50_000

/** Counts in this process only. */
export const countersInMemory: CreateCounter = (_, room) => counterInMemory(room)

/**
 * Beyond `mostKeys` the key whose window ends first is forgotten: to refuse new keys would lock out everybody who has
 * done nothing yet.
 */
export function counterInMemory({ points, duration }: Room, mostKeys = MOST_KEYS): Counter {
  // In the order of their ends, because every window is equally long.
  const windows = new Map<string, { taken: number; readonly endsAt: number }>()

  function opened(id: string, now: number) {
    for (const [first, { endsAt }] of windows) {
      if (now < endsAt && windows.size < mostKeys) break
      windows.delete(first)
    }
    const window = { taken: 0, endsAt: now + duration * 1000 }
    windows.set(id, window)
    return window
  }

  return {
    async take(key) {
      const [id, now] = [keyHash(key), Date.now()]
      const kept = windows.get(id)
      const window = kept !== undefined && now < kept.endsAt ? kept : opened(id, now)
      window.taken++
      return window.taken > points ? Math.ceil((window.endsAt - now) / 1000) : 0
    },
    forget: async (key) => void windows.delete(keyHash(key)),
  }
}

/** Short for any key, and no store shows addresses or e-mail addresses. */
export function keyHash(key: string): string {
  return hash('sha256', key, 'base64url')
}

/** Counts nothing: there is always room. */
export const noCounters: CreateCounter = () => ({ take: async () => 0, forget: async () => {} })
