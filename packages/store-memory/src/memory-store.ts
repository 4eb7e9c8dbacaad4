import type { Store } from '@grantkit/core'
import type { Grant } from '@grantkit/core/feature'
import { cursorOf, placeOf, systemClock } from '@grantkit/core/store-kit'
import { expiringRecords } from './expiring-records.ts'
import { SubjectIndex } from './subject-index.ts'
import { UnapprovedClients } from './unapproved-clients.ts'

export interface MemoryStoreOptions {
  /** The time in epoch seconds. Default: the system clock. */
  readonly now?: (() => number) | undefined
  /**
   * The maximum number of records of each kind, so that a flood of registrations cannot stop sign-ins. At the cap an
   * expired record is evicted, or else the oldest client without an approval. If there is none, `insert` rejects and
   * core answers 503. No other live record is dropped for a new one. Default 100,000.
   */
  readonly maxRecords?: number | undefined
  /**
   * The maximum size of all self-registered clients without an approval, in characters of JSON and 600 more for
   * each. Beyond it the oldest ones are evicted for a new one. Default 67,108,864 (64 Mi).
   */
  readonly maxUnapproved?: number | undefined
}

/**
 * A store in the memory of this process: nothing survives a restart, nothing is shared with another process.
 *
 * It keeps and returns the same objects, without copying or freezing them; that makes it small and fast. Records are
 * read-only by type; code that casts this away and changes a record changes the store.
 *
 * @throws RangeError when `maxRecords` or `maxUnapproved` is not a positive integer or `Infinity`
 *
 * @example
 * ```ts
 * import { createMemoryStore } from '@grantkit/store-memory'
 *
 * const store = createMemoryStore({ maxRecords: 10_000 })
 * ```
 */
export function createMemoryStore({
  now = systemClock,
  maxRecords = 100_000,
  maxUnapproved = 64 * 1024 * 1024,
}: MemoryStoreOptions = {}): Store {
  requireLimits({ maxRecords, maxUnapproved })
  const limits = { now, maxRecords }
  const subjects = new SubjectIndex()
  const grants = expiringRecords<Grant>(limits, subjects)
  return {
    clients: expiringRecords(limits, new UnapprovedClients(maxUnapproved)),
    grants: {
      ...grants,
      async list(owner, { limit, after }) {
        const places = subjects.page(owner, placeOf(after), limit)
        const found = await Promise.all(places.map(({ key }) => grants.find(key)))
        const last = places.length === limit ? places.at(-1) : undefined
        return { grants: found.flatMap((stored) => stored?.value ?? []), next: last && cursorOf(last) }
      },
    },
    transients: expiringRecords(limits),
  }
}

function requireLimits(limits: Record<string, number>): void {
  for (const [name, limit] of Object.entries(limits)) {
    const valid = limit === Number.POSITIVE_INFINITY || Number.isInteger(limit)
    if (!valid || limit < 1) throw new RangeError(`${name} must be a positive integer`)
  }
}
