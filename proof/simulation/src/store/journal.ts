import type { Store } from '@grantkit/core'
import type { Records } from '@grantkit/core/feature'
import type { VirtualTime } from '../scheduler/virtual-time.ts'

interface Write {
  readonly at: number
  /** Absent if it concerns no grant. */
  readonly grantId: string | undefined
  undo(): Promise<unknown>
}

/** For a failover: how to take the last writes back. Older ones have reached every replica of the store. */
const KEPT_MS = 10_000

/** The request of a device names the grant that an approval opens. */
function grantOfRequest(value: unknown): string | undefined {
  const { grantId } = Object(value) as { readonly grantId?: unknown }
  return typeof grantId === 'string' ? grantId : undefined
}

/** A store whose last writes can get lost, as when a replica takes over that has not got them. */
export class Journal {
  readonly store: Store
  readonly #time: VirtualTime
  #writes: Write[] = []
  #isUndoing = false

  constructor({ clients, grants, transients }: Store, time: VirtualTime) {
    this.#time = time
    this.store = {
      clients: { ...this.#recorded(clients, () => undefined), scan: () => clients.scan() },
      grants: {
        ...this.#recorded(grants, ({ id }) => id),
        scan: () => grants.scan(),
        list: (owner, page) => grants.list(owner, page),
      },
      transients: transients && this.#recorded(transients, grantOfRequest),
    }
  }

  /** @returns the ids of the grants that have lost a write */
  async loseLast(milliseconds: number): Promise<readonly string[]> {
    const from = this.#time.now - milliseconds
    const lost = this.#writes.filter(({ at }) => at >= from)
    this.#writes = []
    this.#isUndoing = true
    for (const { undo } of lost.toReversed()) await undo()
    this.#isUndoing = false
    return lost.flatMap(({ grantId }) => grantId ?? [])
  }

  #recorded<T>(
    records: Omit<Records<T>, 'scan'>,
    grantOf: (value: T) => string | undefined,
  ): Omit<Records<T>, 'scan'> {
    const { find, insert, replace, remove } = records
    const ends = new Map<string, number>()
    const record = (value: T, undo: () => Promise<unknown>) => this.#add({ grantId: grantOf(value), undo })
    const put = async (id: string, value: T, expiresAt: number) => {
      const seen = await find(id)
      return seen === undefined ? insert(id, value, expiresAt) : replace(id, seen, value, expiresAt)
    }
    return {
      find: (id) => find(id),
      insert: async (id, value, expiresAt) => {
        const done = await insert(id, value, expiresAt)
        if (done) record(value, () => remove(id))
        if (done) ends.set(id, expiresAt)
        return done
      },
      replace: async (id, seen, value, expiresAt) => {
        const before = ends.get(id) ?? expiresAt
        const done = await replace(id, seen, value, expiresAt)
        if (done) record(value, () => put(id, seen.value, before))
        if (done) ends.set(id, expiresAt)
        return done
      },
      remove: async (id) => {
        const seen = await find(id)
        const done = await remove(id)
        if (done && seen !== undefined) record(seen.value, () => put(id, seen.value, ends.get(id) ?? 0))
        return done
      },
    }
  }

  #add(write: Omit<Write, 'at'>): void {
    if (this.#isUndoing) return
    const at = this.#time.now
    this.#writes.push({ ...write, at })
    if (this.#writes.length % 256 === 0) this.#writes = this.#writes.filter((each) => each.at >= at - KEPT_MS)
  }
}
