import type { AuthorizationServer } from '@grantkit/core'

/** Ends every grant of a user who stays, and says how many. A hundred at a time: a user may have thousands. */
export async function endGrants(grants: AuthorizationServer['grants'], subject: string): Promise<number> {
  const live = await grants.list(subject)
  let ended = 0
  for (let start = 0; start < live.length; start += 100) {
    const some = live.slice(start, start + 100).map(({ id }) => grants.revoke(subject, id, 'operator'))
    ended += (await Promise.all(some)).filter(Boolean).length
  }
  return ended
}
