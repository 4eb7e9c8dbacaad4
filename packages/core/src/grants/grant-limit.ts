import type { Kernel } from '../kernel/kernel.ts'
import type { Grant } from '../kernel/records.ts'
import { keptUntil, liveUntil } from './grant.ts'
import { revokeUserGrant } from './user-grants.ts'

/**
 * Opens a grant of a user, and ends the grants of the same user and client above the limit: the one that was not used for
 * the longest time goes first. Only the newest are looked at, so many more than the limit take several approvals.
 *
 * @returns `false` when the id exists; then nothing was changed
 */
export async function openWithinLimit(kernel: Kernel, grant: Grant): Promise<boolean> {
  const { maxGrantsPerClient: most, store } = kernel
  const { id, subject = '', clientId } = grant
  const [opened, page] = await Promise.all([
    store.grants.insert(id, grant, keptUntil(grant)),
    store.grants.list({ subject, clientId }, { limit: 2 * most }).catch(() => undefined),
  ])
  if (!opened || page === undefined) return opened
  const why = { by: 'server', reason: 'too_many_grants' } as const
  const others = page.grants.filter((other) => other.id !== id)
  // The grant is open: an error would hide its approval. The next approval makes up for what fails here.
  await Promise.allSettled(
    surplus(others, most - 1, kernel.now()).map((other) => revokeUserGrant(kernel, subject, other.id, why)),
  )
  return opened
}

/** An approval whose code is unredeemed goes first: a page of another site can make a browser bring many. */
function surplus(grants: readonly Grant[], most: number, now: number): Grant[] {
  const isRedeemed = ({ code }: Grant) => Number(code === undefined || code.redeemedAt !== undefined)
  return grants
    .filter((grant) => now < liveUntil(grant))
    .sort((one, other) => isRedeemed(other) - isRedeemed(one) || other.usedAt - one.usedAt)
    .slice(most)
}
