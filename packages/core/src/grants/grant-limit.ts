import type { Kernel } from '../kernel/kernel.ts'
import type { Grant } from '../kernel/records.ts'
import type { GrantPage } from '../kernel/store.ts'
import { keptUntil, liveUntil } from './grant.ts'
import { revokeUserGrant } from './user-grants.ts'

/**
 * Opens a grant of a user, and ends the grants of the same user and client above the limit: the one that was not used for
 * the longest time goes first.
 *
 * @returns `false` when the id exists; then nothing was changed
 */
export async function openWithinLimit(kernel: Kernel, grant: Grant): Promise<boolean> {
  const { maxGrantsPerClient: most, store } = kernel
  const { id, subject = '', clientId } = grant
  const [opened, page] = await Promise.all([
    store.grants.insert(id, grant, keptUntil(grant)),
    store.grants.list({ subject, clientId }, { limit: 2 * most }),
  ])
  const why = { by: 'server', reason: 'too_many_grants' } as const
  const others = { ...page, grants: page.grants.filter((other) => other.id !== id) }
  if (opened)
    await Promise.all(
      surplus(others, most - 1, kernel.now()).map((other) => revokeUserGrant(kernel, subject, other.id, why)),
    )
  return opened
}

/** If there are more grants than the page has, the older half of it ends, so that none lives on out of sight. */
function surplus({ grants, next }: GrantPage, most: number, now: number): Grant[] {
  const live = (all: readonly Grant[]) => all.filter((grant) => now < liveUntil(grant))
  if (next !== undefined) return live(grants.slice(most))
  return live(grants)
    .sort((one, other) => other.usedAt - one.usedAt)
    .slice(most)
}
