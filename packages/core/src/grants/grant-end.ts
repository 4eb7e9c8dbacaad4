import type { Kernel } from '../kernel/kernel.ts'
import type { Grant } from '../kernel/records.ts'
import type { GrantRecords, Stored } from '../kernel/store.ts'
import { logRevoked } from './revoked-tokens.ts'

/** After so many lost races the grant is removed, whoever wrote it last: its end matters most. */
const MAX_ATTEMPTS = 16

/**
 * Ends a grant, and with it all its tokens. While the consent ticket that opened it is good, the id stays taken: else
 * the same form, or an insert that arrives late, would bring the code back to life.
 *
 * @returns whether this call ended it; of several at once, one does
 */
export async function endGrant(kernel: Kernel, stored: Stored<Grant>): Promise<boolean> {
  const { store, now } = kernel
  const { id, ticketEndsAt = 0 } = stored.value
  // Always a replacement: only then it is known which tokens end.
  const until = Math.max(ticketEndsAt, now() + 1)
  const ended = endedGrant(id, now(), until)
  let seen: Stored<Grant> | undefined = stored
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    if (seen === undefined || hasEnded(seen.value)) return false
    await logRevoked(kernel, seen.value)
    // A store that is full replaces nothing, but it removes.
    const replaced = store.grants.replace(id, seen, ended, until)
    if (await replaced.catch(() => removeFirst(store.grants, ended, until))) return true
    seen = await store.grants.find(id)
  }
  return removeFirst(store.grants, ended, until)
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
