import { setTimeout as sleep } from 'node:timers/promises'
import type { AuthorizationServer, FoundInitialAccessToken, PublicClient } from '@grantkit/core'
import type { AuditQuery, TrailReader } from '../audit/reading.ts'

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

export interface InitialTokenPage {
  readonly tokens: readonly FoundInitialAccessToken[]
  /** The cursor of the next page. Absent on the last one. */
  readonly next?: string | undefined
}

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

/** Members of a client, with the names of RFC 7591 in camelCase, as TypeScript spells them, or as the RFC does. */
type Members = Readonly<Record<string, unknown>>

export function camelCased(members: Members): Record<string, unknown> {
  return renamed(members, (name) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()))
}

export function snakeCased(members: Members): Record<string, unknown> {
  return renamed(members, (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`))
}

function renamed(members: Members, newName: (name: string) => string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [newName(name), value]))
}

export interface ClientActions {
  /**
   * Removes a client. `continues`: the client is gone, and its grants are still ending one after another, because a
   * removal reads every grant.
   */
  removeClient(id: string): Promise<'done' | 'continues'>
}

/** Milliseconds. A removal with few grants is done by then; with many, the response is sent before it is done. */
const PATIENCE = 2000

/**
 * The client itself is removed first: from then on none of its codes and tokens can be exchanged or refreshed.
 *
 * @param onError called with errors of work that continues after its result
 */
export function clientActions(
  clients: Pick<AuthorizationServer['clients'], 'remove'>,
  onError: (error: unknown) => void,
): ClientActions {
  const pending = new Map<string, Promise<unknown>>()
  return {
    async removeClient(id) {
      const removed = pending.get(id) ?? clients.remove(id).finally(() => pending.delete(id))
      pending.set(id, removed)
      let answered = false
      removed.catch((error) => answered && onError(error))
      const done = removed.then(() => 'done' as const)
      const result = await Promise.race([done, sleep(PATIENCE, 'continues' as const, { ref: false })])
      answered = true
      return result
    },
  }
}
