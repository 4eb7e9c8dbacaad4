import type { Records } from '@grantkit/core'
import { ExpiryQueue } from './expiry-queue.ts'

export interface Limits {
  readonly now: () => number
  readonly maxRecords: number
}

/**
 * A record in place. Every write makes a new one, so its identity is the version: unlike that of the value, it
 * tells two writes of one value apart.
 */
interface Kept<T> {
  readonly id: string
  readonly value: T
  readonly expiresAt: number
  position: number
}

/** More than the one that an insert adds, so the expired can only dwindle; few, so that no write is ever slow. */
const SWEPT_PER_WRITE = 8

/**
 * Records that vanish at their time without a timer: a read passes over an expired one and every write drops the
 * longest expired few. No method awaits anything, so each runs undisturbed from start to end: in JavaScript that
 * is all the atomicity a compare-and-swap needs.
 *
 * @param added told of every value that comes in
 * @param dropped told of every value that goes, be it replaced, removed or expired
 */
export function expiringRecords<T>(
  { now, maxRecords }: Limits,
  added: (id: string, value: T) => void = () => {},
  dropped: (id: string, value: T) => void = () => {},
): Records<T> {
  const kept = new Map<string, Kept<T>>()
  const queue = new ExpiryQueue<Kept<T>>()

  function leave(record: Kept<T>): void {
    queue.delete(record)
    dropped(record.id, record.value)
  }

  function drop(record: Kept<T>): void {
    kept.delete(record.id)
    leave(record)
  }

  function live(id: string): Kept<T> | undefined {
    const record = kept.get(id)
    if (record === undefined || now() < record.expiresAt) return record
    drop(record)
    return undefined
  }

  function sweep(): void {
    const time = now()
    for (let swept = 0; swept < SWEPT_PER_WRITE; swept++) {
      const first = queue.first()
      if (first === undefined || time < first.expiresAt) return
      drop(first)
    }
  }

  function add(record: Kept<T>): void {
    kept.set(record.id, record)
    queue.add(record)
    added(record.id, record.value)
  }

  return {
    async find(id) {
      const record = live(id)
      return record && { value: record.value, version: record }
    },

    async insert(id, value, expiresAt) {
      sweep()
      if (live(id) !== undefined) return false
      if (kept.size >= maxRecords)
        throw new Error(`The memory store is full: it may hold ${maxRecords} records`)
      add({ id, value, expiresAt, position: 0 })
      return true
    },

    async replace(id, seen, value, expiresAt) {
      sweep()
      const record = live(id)
      if (record === undefined || record !== seen.version) return false
      leave(record)
      add({ id, value, expiresAt, position: 0 })
      return true
    },

    async remove(id) {
      sweep()
      const record = kept.get(id)
      if (record !== undefined) drop(record)
    },

    async *scan() {
      // A Map that changes under its iteration skips none that stays; what expired is not dropped here, as no write is.
      for (const { value, expiresAt } of kept.values()) if (now() < expiresAt) yield value
    },
  }
}
