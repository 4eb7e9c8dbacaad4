import type { Kernel } from '../kernel/kernel.ts'
import type { Grant } from '../kernel/records.ts'
import type { Stored } from '../kernel/store.ts'

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
  let seen: Stored<Grant> | undefined = stored
  for (let attempt = 0; attempt < MOST_ATTEMPTS && now() < ticketEndsAt; attempt++) {
    if (seen === undefined || hasEnded(seen.value)) return false
    const ended = endedGrant(id, now(), ticketEndsAt)
    // A store that is full replaces nothing, but it removes: the end matters more than the id.
    if (await grants.replace(id, seen, ended, ticketEndsAt).catch(() => grants.remove(id))) return true
    seen = await grants.find(id)
  }
  return grants.remove(id)
}

function hasEnded({ clientId }: Grant): boolean {
  return clientId === ''
}

/** The record of a grant that has ended, or that was denied. It belongs to nobody and has no token. */
export function endedGrant(id: Grant['id'], now: number, ticketEndsAt: number): Grant {
  const nobodys = { clientId: '', scopes: [], resources: [], accessTokens: [] }
  return { id, ...nobodys, createdAt: now, usedAt: now, expiresAt: now, ticketEndsAt }
}
