import type { AuthorizationServer, PublicClient } from '@grantkit/core'
import type { AuditQuery } from '../audit/reading.ts'
import type { TrailReader } from '../audit/trail-reader.ts'

/** A client in the audit trail. */
export interface RecentClient {
  readonly client: PublicClient
  /** Its latest entry. */
  readonly type: string
  /** ISO 8601, in UTC. */
  readonly at: string
}

export interface RecentClientPage {
  readonly clients: readonly RecentClient[]
  /** The cursor of the next page. Absent on the last one. */
  readonly next?: string | undefined
}

/** What happened to a client, with the types of the entries. A user may allow one on its device too. */
export const CLIENT_ENTRIES = {
  /** Entries of earlier releases use the second name. */
  added: ['client_added', 'integration_added'],
  registered: ['client_registered'],
  allowed: ['consent_granted', 'device_approved'],
} as const

/** Entries that are read for one page. */
const READ = 50

/**
 * The existing clients of these entries, the latest first, each once a page. Listing clients in the store would read all of
 * them, maybe a million; the trail has an index, so this reads some entries.
 */
export async function recentClients(
  trail: TrailReader,
  clients: Pick<AuthorizationServer['clients'], 'find'>,
  query: AuditQuery,
  cursor: string | undefined,
): Promise<RecentClientPage> {
  const { entries, next } = await trail.page(query, READ, cursor)
  const latest = new Map<string, { type: string; at: string }>()
  for (const { clientId, type, at } of entries)
    if (clientId !== undefined && !latest.has(clientId)) latest.set(clientId, { type, at })
  const found = [...latest].map(async ([clientId, entry]) => {
    const client = await clients.find(clientId)
    return client === undefined ? [] : [{ client, ...entry }]
  })
  return { clients: (await Promise.all(found)).flat(), next }
}
