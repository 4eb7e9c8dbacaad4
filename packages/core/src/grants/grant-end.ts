import type { Kernel } from '../kernel/kernel.ts'
import type { Grant } from '../kernel/records.ts'
import type { GrantRecords, Stored } from '../kernel/store.ts'

/** After so many lost races the grant is removed, whoever wrote it last: its end matters most. */
const MOST_ATTEMPTS = 16

/**
 * Ends a grant, and with it all its tokens. While the consent ticket that opened it is good, the id stays taken: else
 * the same form, or an insert that arrives late, would bring the code back to life.
 *
 * @returns whether this call ended it; of several at once, one does
 */
export async function endGrant({ store: { grants }, now }: Kernel, stored: Stored<Grant>): Promise<boolean> {
  const { id, ticketEndsAt = 0 } = stored.value
  if (now() >= ticketEndsAt) return grants.remove(id)
  const ended = endedGrant(id, now(), ticketEndsAt)
  let seen: Stored<Grant> | undefined = stored
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
    if (seen === undefined || hasEnded(seen.value)) return false
    // A store that is full replaces nothing, but it removes.
    const replaced = grants.replace(id, seen, ended, ticketEndsAt)
    if (await replaced.catch(() => removeFirst(grants, ended, ticketEndsAt))) return true
    seen = await grants.find(id)
  }
  return removeFirst(grants, ended, ticketEndsAt)
}

/** The end of the grant matters more than its id, which may stay free. */
async function removeFirst(grants: GrantRecords, ended: Grant, until: number): Promise<boolean> {
  const removed = await grants.remove(ended.id)
  await grants.insert(ended.id, ended, until).catch(() => false)
  return removed
}

function hasEnded({ clientId }: Grant): boolean {
  return clientId === ''
}

/** The record of a grant that has ended, or that was denied. It belongs to nobody and has no token. */
export function endedGrant(id: Grant['id'], now: number, ticketEndsAt: number): Grant {
  const nobodys = { clientId: '', scopes: [], resources: [], accessTokens: [] }
  return { id, ...nobodys, createdAt: now, usedAt: now, expiresAt: now, ticketEndsAt }
}
