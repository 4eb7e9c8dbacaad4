import type { AuthorizationServer, PublicClient } from '@grantkit/core'
import type { TrailReader } from '../audit/trail-reader.ts'

/** A client that the audit trail names. */
export interface RecentClient {
  readonly clientId: string
  /** When the trail named it, in epoch seconds. */
  readonly at: number
  readonly client: PublicClient
}

/** Entries that are read, and clients that are asked for: some are gone. */
const READ = 100
const ASKED = 50

/**
 * Clients that entries of these types name, the latest first, each once, as far as they still exist. The store lists
 * no clients without reading all, and there may be a million: the trail has an index, so this reads a hundred entries.
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
