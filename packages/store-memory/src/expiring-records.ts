import type { Records } from '@grantkit/core/feature'

export interface Limits {
  readonly now: () => number
  readonly maxRecords: number
}

/** Knows more of the records of one kind than their ids. */
export interface Follower<T> {
  /** A record was added (no `before`), changed, or removed (no `after`). */
  follow(id: string, before?: T, after?: T): void
  /** The next record to drop, because the store is `full` or because such records take too much. */
  expendable?(full: boolean): string | undefined
}

/**
 * Never modified: a replacement is a new object, so the object itself is the version. It does not hold the id: core may
 * cut the id out of the text of a request, which would then stay in memory.
 */
interface Kept<T> {
  readonly value: T
  readonly expiresAt: number
}

/**
 * An insert looks at four records, so one round over `n` records takes `n / 3` inserts. Every held record was alive
 * when the round began or was added later: at most 1.5 times the maximum number of live records.
 */
const LOOKS_PER_WRITE = 4

/**
 * Records that expire without a timer. A read skips expired records. A cursor moves a few records further at every
 * write, round and round, and drops the expired ones. No method awaits anything, so each runs without interruption: in
 * JavaScript that makes a compare-and-swap atomic.
 */
export function expiringRecords<T>({ now, maxRecords }: Limits, follower?: Follower<T>): Records<T> {
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
    follower?.follow(id, record.value)
  }

  function sweep(time: number, looks = LOOKS_PER_WRITE): void {
    for (let left = looks; left > 0; left--) {
      const { done, value } = cursor.next()
      if (done) cursor = kept.entries()
      else if (value[1].expiresAt <= time) drop(value[0])
    }
  }

  function expendable(): string | undefined {
    return follower?.expendable?.(kept.size >= maxRecords)
  }

  /** Times are whole seconds: after one full search, nothing new expires before the next second. */
  function makeRoom(time: number): void {
    if (kept.size >= maxRecords && wholeSweepAt !== time) {
      wholeSweepAt = time
      sweep(time, kept.size)
    }
    for (let id = expendable(); id !== undefined; id = expendable()) drop(id)
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
      follower?.follow(id, undefined, value)
      return true
    },

    async replace(id, seen, value, expiresAt) {
      const time = now()
      sweep(time)
      const record = live(id, time)
      if (record === undefined || record !== seen.version) return false
      kept.set(id, { value, expiresAt })
      follower?.follow(id, record.value, value)
      return true
    },

    async remove(id) {
      const time = now()
      sweep(time)
      const removed = live(id, time) !== undefined
      drop(id)
      return removed
    },

    async *scan() {
      // A Map that changes during iteration skips no remaining record.
      for (const { value, expiresAt } of kept.values()) if (now() < expiresAt) yield value
    },
  }
}
