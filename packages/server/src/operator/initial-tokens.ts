import type { AuthorizationServer, FoundInitialAccessToken } from '@grantkit/core'
import type { TrailReader } from '../audit/trail-reader.ts'

export interface InitialTokenPage {
  readonly tokens: readonly FoundInitialAccessToken[]
  /** The cursor of the next page. Absent on the last one. */
  readonly next?: string | undefined
}

/** Entries that are read for one page. */
const READ = 50

/**
 * The initial access tokens that have not ended, the newest first. The store has no list of them, so the trail says which were
 * made.
 */
export async function recentInitialTokens(
  trail: TrailReader,
  clients: Pick<AuthorizationServer['clients'], 'findInitialAccessToken'>,
  cursor: string | undefined,
): Promise<InitialTokenPage> {
  const { entries, next } = await trail.page({ types: ['initial_access_token_added'] }, READ, cursor)
  const ids = entries.map(({ initialAccessToken }) => String(initialAccessToken))
  const found = await Promise.all(ids.map((id) => clients.findInitialAccessToken(id)))
  return { tokens: found.filter((token) => token !== undefined), next }
}
