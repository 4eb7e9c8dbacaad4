import type { Records } from '@grantkit/core'
import { ExpiryQueue } from './expiry-queue.ts'

export interface Limits {
  readonly now: () => number
  readonly maxRecords: number
}

/** Where else records are found, by something that is in them. */
export interface RecordIndex<T> {
  keyOf(value: T): string
  add(id: string, key: string): void
  delete(id: string, key: string): void
}

/** A record in place. A replacement changes it rather than making another: the queue and the map keep pointing at it. */
interface Kept<T> {
  readonly id: string
  value: T
  /** Of the write that made it what it is; no two writes to a store have the same. */
  version: number
  expiresAt: number
  due: number
  position: number
}

/** More than the one that an insert adds, so the expired can only dwindle; few, so that no write is ever slow. */
const SWEPT_PER_WRITE = 8

/**
 * Records that vanish at their time without a timer: a read passes over an expired one and every write drops the
 * longest expired few. No method awaits anything, so each runs undisturbed from start to end: in JavaScript that
 * is all the atomicity a compare-and-swap needs.
 */
export function expiringRecords<T>({ now, maxRecords }: Limits, index?: RecordIndex<T>): Records<T> {
  const kept = new Map<string, Kept<T>>()
  const queue = new ExpiryQueue<Kept<T>>()
  let writes = 0

  function drop(record: Kept<T>): void {
    kept.delete(record.id)
    queue.delete(record)
    index?.delete(record.id, index.keyOf(record.value))
  }

  function live(id: string, time = now()): Kept<T> | undefined {
    const record = kept.get(id)
    if (record === undefined || time < record.expiresAt) return record
    drop(record)
    return undefined
  }

  /** Looks at the first of the queue. Answers `false` when it is not due. */
  function sweepOne(time: number): boolean {
    const first = queue.first()
    if (first === undefined || time < first.due) return false
    if (time < first.expiresAt) queue.defer(first)
    else drop(first)
    return true
  }

  function sweep(time: number): void {
    for (let swept = 0; swept < SWEPT_PER_WRITE && sweepOne(time); swept++);
  }

  /** At the cap it is worth to look beyond those whose end was put off. */
  function makeRoom(time: number): void {
    while (kept.size >= maxRecords && sweepOne(time));
    if (kept.size >= maxRecords)
      throw new Error(`The memory store is full: it may hold ${maxRecords} records`)
  }

  function reindex(id: string, earlier: T, later: T): void {
    if (index === undefined || index.keyOf(earlier) === index.keyOf(later)) return
    index.delete(id, index.keyOf(earlier))
    index.add(id, index.keyOf(later))
  }

  return {
    async find(id) {
      const record = live(id)
      return record && { value: record.value, version: record.version }
    },

    async insert(id, value, expiresAt) {
      const time = now()
      sweep(time)
      if (live(id, time) !== undefined) return false
      makeRoom(time)
      const record = { id, value, version: ++writes, expiresAt, due: expiresAt, position: 0 }
      kept.set(id, record)
      queue.add(record)
      index?.add(id, index.keyOf(value))
      return true
    },

    async replace(id, seen, value, expiresAt) {
      const time = now()
      sweep(time)
      const record = live(id, time)
      if (record === undefined || record.version !== seen.version) return false
      reindex(id, record.value, value)
      record.value = value
      record.version = ++writes
      record.expiresAt = expiresAt
      queue.moved(record)
      return true
    },

    async remove(id) {
      sweep(now())
      const record = kept.get(id)
      if (record !== undefined) drop(record)
    },

    async *scan() {
      // A Map that changes under its iteration skips none that stays; what expired is not dropped here, as no write is.
      for (const { value, expiresAt } of kept.values()) if (now() < expiresAt) yield value
    },
  }
}
