import type { Kernel } from '../kernel/kernel.ts'
import type { Grant } from '../kernel/records.ts'
import type { Stored } from '../kernel/store.ts'

/** After so many lost races the grant is removed, whoever wrote it last: its end matters most. */
const MOST_ATTEMPTS = 16

/**
 * Ends a grant, and with it all its tokens. While the consent ticket that opened it is good, the id stays taken: else
 * the same form, or an insert that arrives late, would bring the code back to life.
 */
export async function endGrant({ store: { grants }, now }: Kernel, stored: Stored<Grant>): Promise<void> {
  const { id, ticketEndsAt = 0 } = stored.value
  let seen: Stored<Grant> | undefined = stored
  for (let attempt = 0; attempt < MOST_ATTEMPTS && now() < ticketEndsAt; attempt++) {
    if (seen === undefined) return
    if (await grants.replace(id, seen, endedGrant(id, now(), ticketEndsAt), ticketEndsAt)) return
    seen = await grants.find(id)
  }
  await grants.remove(id)
}

/** The record of a grant that has ended, or that was denied. It belongs to nobody and has no token. */
export function endedGrant(id: Grant['id'], now: number, ticketEndsAt: number): Grant {
  return {
    ...{ id, clientId: '', scopes: [], resources: [], accessTokens: [] },
    ...{ createdAt: now, usedAt: now, expiresAt: now, ticketEndsAt },
  }
}
