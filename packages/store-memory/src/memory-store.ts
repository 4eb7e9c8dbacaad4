import type { Store } from '@grantkit/core'
import type { Client, Grant, Transient, Transients } from '@grantkit/core/feature'
import { cursorOf, namespaceKey, placeOf, systemClock } from '@grantkit/core/store-kit'
import { expiringRecords, type Limits } from './expiring-records.ts'
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

export interface MemoryStore extends Store {
  readonly transients: Transients
  /**
   * The limits hold for each namespace by itself: a flood of registrations in one evicts nothing of another. A namespace that was
   * asked for once stays in memory.
   */
  within(namespace: string): Store
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
}: MemoryStoreOptions = {}): MemoryStore {
  requireLimits({ maxRecords, maxUnapproved })
  const limits = { now, maxRecords }
  const namespaces = new Map<string, Store>()
  return {
    ...memoryRecords(limits, maxUnapproved),
    within(namespace) {
      const key = namespaceKey(namespace)
      const store = namespaces.get(key) ?? memoryRecords(limits, maxUnapproved)
      namespaces.set(key, store)
      return store
    },
  }
}

function memoryRecords(limits: Limits, maxUnapproved: number) {
  const subjects = new SubjectIndex()
  const grants = expiringRecords<Grant>(limits, subjects)
  return {
    clients: expiringRecords<Client>(limits, new UnapprovedClients(maxUnapproved)),
    grants: {
      ...grants,
      async list(owner, { limit, after }) {
        const places = subjects.page(owner, placeOf(after), limit)
        const found = await Promise.all(places.map(({ key }) => grants.find(key)))
        const last = places.length === limit ? places.at(-1) : undefined
        return { grants: found.flatMap((stored) => stored?.value ?? []), next: last && cursorOf(last) }
      },
    },
    transients: expiringRecords<Transient>(limits),
  } satisfies Store
}

function requireLimits(limits: Record<string, number>): void {
  for (const [name, limit] of Object.entries(limits)) {
    const valid = limit === Number.POSITIVE_INFINITY || Number.isInteger(limit)
    if (!valid || limit < 1) throw new RangeError(`${name} must be a positive integer`)
  }
}
