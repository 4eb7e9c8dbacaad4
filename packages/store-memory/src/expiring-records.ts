import type { Records } from '@grantkit/core'

export interface Limits {
  readonly now: () => number
  readonly maxRecords: number
}

/** Hears of every record that comes (no `before`), changes or goes (no `after`). */
export type Follow<T> = (id: string, before: T | undefined, after: T | undefined) => void

/**
 * Never written to: a replacement is another object, so the object itself is the version. It does not hold the id: core
 * may cut that from the text of a request, which would then stay in memory with it.
 */
interface Kept<T> {
  readonly value: T
  readonly expiresAt: number
}

/**
 * With four looks for each record that an insert adds, a round over `n` records takes `n / 3` inserts. What is held
 * was alive when the round began or came since: at most one and a half times as many as ever live at a time.
 */
const LOOKS_PER_WRITE = 4

/**
 * Records that vanish at their time without a timer: a read passes over an expired one, and a cursor goes round and
 * round, a few records further at every write, and drops the expired. No method awaits anything, so each runs
 * undisturbed from start to end: in JavaScript that is all the atomicity a compare-and-swap needs.
 */
export function expiringRecords<T>({ now, maxRecords }: Limits, follow: Follow<T> = () => {}): Records<T> {
  const kept = new Map<string, Kept<T>>()
  let cursor = kept.entries()
  let wholeSweepAt = Number.NaN

  function live(id: string, time = now()): Kept<T> | undefined {
    const record = kept.get(id)
    return record !== undefined && time < record.expiresAt ? record : undefined
  }

  function drop(id: string): void {
    const record = kept.get(id)
    if (record === undefined) return
    kept.delete(id)
    follow(id, record.value, undefined)
  }

  function sweep(time: number, looks = LOOKS_PER_WRITE): void {
    for (let left = looks; left > 0; left--) {
      const { done, value } = cursor.next()
      if (done) cursor = kept.entries()
      else if (value[1].expiresAt <= time) drop(value[0])
    }
  }

  /** Times are whole seconds: after one look at everything there is nothing to find until the next second. */
  function makeRoom(time: number): void {
    if (kept.size >= maxRecords && wholeSweepAt !== time) {
      wholeSweepAt = time
      sweep(time, kept.size)
    }
    if (kept.size >= maxRecords)
      throw new Error(`The memory store is full: it may hold ${maxRecords} records`)
  }

  return {
    async find(id) {
      const record = live(id)
      return record && { value: record.value, version: record }
    },

    async insert(id, value, expiresAt) {
      const time = now()
      sweep(time)
      if (live(id, time) !== undefined) return false
      drop(id)
      makeRoom(time)
      kept.set(id, { value, expiresAt })
      follow(id, undefined, value)
      return true
    },

    async replace(id, seen, value, expiresAt) {
      const time = now()
      sweep(time)
      const record = live(id, time)
      if (record === undefined || record !== seen.version) return false
      kept.set(id, { value, expiresAt })
      follow(id, record.value, value)
      return true
    },

    async remove(id) {
      sweep(now())
      drop(id)
    },

    async *scan() {
      // A Map that changes under its iteration skips none that stays.
      for (const { value, expiresAt } of kept.values()) if (now() < expiresAt) yield value
    },
  }
}
