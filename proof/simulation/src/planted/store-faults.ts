import type { Store } from '@grantkit/core'
import { type Grant, type GrantRecords, type RefreshState, type Stored, sha256 } from '@grantkit/core/feature'
import type { Place } from '../service/replica.ts'
import { currently } from './request-context.ts'

type Replace = GrantRecords['replace']
type Find = GrantRecords['find']

export function withReplace(store: Store, plant: (replace: Replace, grants: GrantRecords) => Replace): Store {
  const { grants } = store
  return { ...store, grants: { ...grants, replace: plant(grants.replace, grants) } }
}

/** Changes what a request reads. The version stays that of the record, so a write is a correct one. */
export function withRead(store: Store, change: (grant: Grant) => Grant): Store {
  const find: Find = async (id) => {
    const stored = await store.grants.find(id)
    return stored && { ...stored, value: change(stored.value) }
  }
  return { ...store, grants: { ...store.grants, find } }
}

export const hasEnded = ({ clientId }: Grant): boolean => clientId === ''

/** Writes whatever is stored now, as a store without a compare-and-swap does. */
export async function overwrite(
  grants: GrantRecords,
  id: string,
  value: Grant,
  end: number,
): Promise<boolean> {
  for (;;) {
    const seen = await grants.find(id)
    const done = seen === undefined ? grants.insert(id, value, end) : grants.replace(id, seen, value, end)
    if (await done) return true
  }
}

/** The previous refresh token is taken for the newest one. */
export function previousIsCurrent(grant: Grant, isPlanted: (refresh: RefreshState) => boolean): Grant {
  const { refresh } = grant
  const { doing, credential } = currently()
  if (doing !== 'refresh' || refresh?.previous === undefined || !isPlanted(refresh)) return grant
  const presented = sha256(credential.slice(credential.indexOf('.') + 1))
  if (presented !== refresh.previous.hash) return grant
  const { previous: _, ...rest } = refresh
  return { ...grant, refresh: { ...rest, hash: presented, generation: refresh.generation - 1 } }
}

/** An end is acknowledged now and written later. */
export function writtenLater(replace: Replace, { time }: Place): Replace {
  return async (id, seen, value, expiresAt) => {
    if (currently().doing !== 'revoke' || !hasEnded(value)) return replace(id, seen, value, expiresAt)
    time.after(800, () => void replace(id, seen, value, expiresAt).catch(() => {}))
    return true
  }
}

/** The end of a grant ends the others of its user at the client. */
export async function endOthers(grants: GrantRecords, ended: Stored<Grant>, value: Grant): Promise<void> {
  const { subject, clientId, id } = ended.value
  if (subject === undefined) return
  const page = await grants.list({ subject, clientId }, { limit: 50 })
  for (const other of page.grants.filter((grant) => grant.id !== id))
    await overwrite(grants, other.id, { ...value, id: other.id }, other.expiresAt)
}
