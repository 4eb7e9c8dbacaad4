import type { Store } from '@grantkit/core'
import type { Grant, Stored } from '@grantkit/core/feature'
import type { VirtualTime } from '../scheduler/virtual-time.ts'

interface Seen {
  readonly at: number
  readonly grant: Stored<Grant> | undefined
}

/** A replica of the store for the guard of an API, which is behind: a grant that was read stays as it was for so long. */
export function laggingReads(store: Store, time: VirtualTime, milliseconds: number): Store {
  if (milliseconds === 0) return store
  const seen = new Map<string, Seen>()
  const find = async (id: string) => {
    const known = seen.get(id)
    if (known !== undefined && time.now - known.at < milliseconds) return known.grant
    const at = time.now
    const grant = await store.grants.find(id)
    seen.set(id, { at, grant })
    return grant
  }
  return { ...store, grants: { ...store.grants, find } }
}
