import type { Grant, GrantOwner } from '@grantkit/core/feature'
import type { Place } from '@grantkit/core/store-kit'

type Owned = Pick<Grant, 'subject' | 'clientId' | 'createdAt'>

/** What the lists need of a grant. An object of its own, so that an old record is not kept in memory. */
interface Entry extends Place {
  readonly clientId: string
}

/** The grants of each subject, the oldest first. A subject without grants takes no memory. */
export class SubjectIndex {
  readonly #bySubject = new Map<string, Entry[]>()

  /** A grant was added (no `before`), changed, or removed (no `after`). */
  follow(id: string, before?: Owned, after?: Owned): void {
    if (before?.subject === after?.subject) return
    if (before?.subject !== undefined) this.#delete(before.subject, { order: before.createdAt, key: id })
    if (after?.subject !== undefined)
      this.#add(after.subject, { order: after.createdAt, key: id, clientId: after.clientId })
  }

  #add(subject: string, entry: Entry): void {
    const entries = this.#bySubject.get(subject)
    if (entries === undefined) this.#bySubject.set(subject, [entry])
    else entries.splice(countBefore(entries, entry), 0, entry)
  }

  #delete(subject: string, place: Place): void {
    const entries = this.#bySubject.get(subject) ?? []
    if (entries.length === 1) this.#bySubject.delete(subject)
    else entries.splice(countBefore(entries, place), 1)
  }

  /** The places of an owner's grants that follow a place, the newest first. */
  page({ subject, clientId }: GrantOwner, after: Place, limit: number): Place[] {
    const entries = this.#bySubject.get(subject) ?? []
    const page: Place[] = []
    for (let index = countBefore(entries, after) - 1; index >= 0 && page.length < limit; index--) {
      const entry = entries[index] as Entry
      if (clientId === undefined || clientId === entry.clientId) page.push(entry)
    }
    return page
  }
}

/** By halves: a subject may have very many. */
function countBefore(entries: readonly Entry[], place: Place, low = 0, high = entries.length): number {
  if (low >= high) return low
  const middle = (low + high) >>> 1
  return isBefore(entries[middle] as Entry, place)
    ? countBefore(entries, place, middle + 1, high)
    : countBefore(entries, place, low, middle)
}

function isBefore(one: Place, other: Place): boolean {
  return one.order === other.order ? one.key < other.key : one.order < other.order
}
