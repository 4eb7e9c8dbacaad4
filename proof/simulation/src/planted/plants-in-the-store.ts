import type { Store } from '@grantkit/core'
import type { Grant, GrantRecords } from '@grantkit/core/feature'
import type { Place, Plant } from '../service/replica.ts'
import { currently, type Doing, during } from './request-context.ts'
import { endOthers, hasEnded, overwrite, withRead, withReplace } from './store-faults.ts'

export const inStore = (store: (store: Store, place: Place) => Store): Plant => ({
  store,
  handle: (handle) => (request) => during(request, () => handle(request)),
})

/** A write without a compare-and-swap, where `isPlanted`. */
export const overwriting = (isPlanted: () => boolean): Plant =>
  inStore((store) =>
    withReplace(store, (replace, grants) => async (id, seen, value, end) => {
      if (hasEnded(value) || !isPlanted()) return replace(id, seen, value, end)
      const now = await grants.find(id)
      // That an end is overwritten is another fault.
      return now !== undefined && hasEnded(now.value) ? false : overwrite(grants, id, value, end)
    }),
  )

/** The end of a grant is answered for, and not written. */
export const endNotWritten = (doing: Doing): Plant =>
  inStore((store) =>
    withReplace(store, (replace) => async (id, seen, value, end) => {
      if (currently().doing === doing && hasEnded(value)) return true
      return replace(id, seen, value, end)
    }),
  )

export const is = (doing: Doing) => currently().doing === doing

export function refreshSurvivesEnd(): Plant {
  const survives =
    (replace: GrantRecords['replace'], grants: GrantRecords): GrantRecords['replace'] =>
    async (id, seen, value, end) => {
      if (await replace(id, seen, value, end)) return true
      const now = is('refresh') && !hasEnded(value) ? await grants.find(id) : undefined
      return now !== undefined && hasEnded(now.value) ? overwrite(grants, id, value, end) : false
    }
  return inStore((store) => withReplace(store, survives))
}

export function replayEndsOthers(): Plant {
  return inStore((store) =>
    withReplace(store, (replace, grants) => async (id, seen, value, end) => {
      const done = await replace(id, seen, value, end)
      if (done && hasEnded(value) && (is('refresh') || is('redeem'))) await endOthers(grants, seen, value)
      return done
    }),
  )
}

export function longerCode(grant: Grant): Grant {
  const { code } = grant
  return code === undefined ? grant : { ...grant, code: { ...code, expiresAt: code.expiresAt + 600 } }
}

export function loserGets500(): Plant {
  return inStore((store) =>
    withReplace(store, (replace) => async (...args) => {
      if (await replace(...args)) return true
      throw new TypeError('The record has changed')
    }),
  )
}

/** The guard knows the exchanged tokens of a grant from the last write of it. */
export function exchangedOutlive(): Plant {
  const exchanged = new Map<string, Grant>()
  const keep = (id: string, grant: Grant) => {
    const ofParent = grant.accessTokens.filter(({ parent }) => parent !== undefined)
    const accessTokens = ofParent.map(({ parent: _, ...token }) => token)
    if (accessTokens.length > 0) exchanged.set(id, { ...grant, accessTokens })
  }
  const plant = inStore((store) =>
    withReplace(store, (replace) => async (id, seen, value, end) => {
      const done = await replace(id, seen, value, end)
      if (done) keep(id, value)
      return done
    }),
  )
  const guardStore = (store: Store) =>
    withRead(store, (grant) => (hasEnded(grant) ? (exchanged.get(grant.id) ?? grant) : grant))
  return { ...plant, guardStore }
}

/** The list of a user lacks the grants that were refreshed: a sign-out everywhere does not find them. */
export function signOutLeavesRefreshed(): Plant {
  return inStore((store) => {
    const list: GrantRecords['list'] = async (owner, page) => {
      const listed = await store.grants.list(owner, page)
      return { ...listed, grants: listed.grants.filter(({ refresh }) => refresh?.previous === undefined) }
    }
    return { ...store, grants: { ...store.grants, list } }
  })
}
