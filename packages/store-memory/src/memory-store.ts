import type { Grant, Store } from '@grantkit/core'
import { expiringRecords } from './expiring-records.ts'
import { SubjectIndex } from './subject-index.ts'

export interface MemoryStoreOptions {
  /** The time in epoch seconds. Default: the clock of the machine. */
  readonly now?: (() => number) | undefined
  /**
   * The maximum number of records of each kind, so that a flood of registrations cannot stop sign-ins. At the cap an
   * expired record makes room. If there is none, `insert` rejects and core answers 503. A live record is never dropped
   * for a new one. Default: no cap.
   */
  readonly maxRecords?: number | undefined
}

/**
 * A store in the memory of this process: nothing survives a restart, nothing is shared with another process.
 *
 * It keeps and returns the same objects, without copying or freezing them; that makes it small and fast. Records are
 * read-only by type; code that casts this away and changes a record changes the store.
 *
 * @throws RangeError when `maxRecords` is not a positive integer
 */
export function createMemoryStore(options: MemoryStoreOptions = {}): Store {
  const limits = { now: options.now ?? epochSeconds, maxRecords: checkedCap(options.maxRecords) }
  const subjects = new SubjectIndex()
  const grants = expiringRecords<Grant>(limits, (id, before, after) => subjects.follow(id, before, after))
  return {
    clients: expiringRecords(limits),
    grants: {
      ...grants,
      async listBySubject(subject) {
        const found = await Promise.all(subjects.grantIds(subject).map((id) => grants.find(id)))
        return found.flatMap((stored) => stored?.value ?? [])
      },
    },
    transients: expiringRecords(limits),
  }
}

function epochSeconds(): number {
  return Math.floor(Date.now() / 1000)
}

function checkedCap(maxRecords = Number.POSITIVE_INFINITY): number {
  const valid = maxRecords === Number.POSITIVE_INFINITY || Number.isInteger(maxRecords)
  if (!valid || maxRecords < 1) throw new RangeError('maxRecords must be a positive integer')
  return maxRecords
}
