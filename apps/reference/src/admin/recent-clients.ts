import type { AuthorizationServer, PublicClient } from '@grantkit/core'
import type { TrailReader } from '../audit/trail-reader.ts'

/** A client in the audit trail. */
export interface RecentClient {
  readonly clientId: string
  /** The time of its entry, in epoch seconds. */
  readonly at: number
  readonly client: PublicClient
}

/** Entries that are read, and clients that are looked up: some no longer exist. */
const READ = 100
const ASKED = 50

/**
 * The existing clients of entries of these types, the latest first, each once. Listing clients in the store would read
 * all of them, maybe a million; the trail has an index, so this reads a hundred entries.
 */
export async function recentClients(
  trail: TrailReader,
  clients: Pick<AuthorizationServer['clients'], 'find'>,
  types: readonly string[],
  most: number,
): Promise<readonly RecentClient[]> {
  const { entries } = await trail.page({ types }, READ)
  const latest = new Map<string, string>()
  for (const { clientId, at } of entries)
    if (clientId !== undefined && !latest.has(clientId)) latest.set(clientId, at)
  const found = [...latest].slice(0, ASKED).map(async ([clientId, at]) => {
    const client = await clients.find(clientId)
    return client === undefined ? [] : [{ clientId, at: Date.parse(at) / 1000, client }]
  })
  return (await Promise.all(found)).flat().slice(0, most)
}
