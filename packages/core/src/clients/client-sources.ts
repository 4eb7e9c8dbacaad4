import type { Clients } from '../kernel/kernel.ts'
import { OAuthError, refusals, SERVER_REFUSALS } from '../kernel/oauth-error.ts'
import type { Client } from '../kernel/records.ts'
import type { Records, Stored } from '../kernel/store.ts'

export const CLIENT_REFUSALS = refusals({
  client_unknown: ['invalid_client', 'No client has this client_id; the application must register again'],
})

/** A source of clients: the store, or anything else that a feature turns into a client. */
export interface ClientSource {
  /** Whether this source is responsible for ids of this form. Only the first source that says yes is asked. */
  owns(clientId: string): boolean
  find(clientId: string): Promise<Client | undefined>
  /**
   * Keeps an approved client at least until `until` (epoch seconds). Absent if clients of this source do not expire.
   */
  extendExpiry?(clientId: string, until: number): Promise<void>
}

/** The clients of all sources. @param sources asked in this order; features may add one until the first request */
export function clientsOf(records: Records<Client>, sources: readonly ClientSource[]): Clients {
  function sourceOf(clientId: string): ClientSource | undefined {
    for (const source of sources) if (source.owns(clientId)) return source
    return undefined
  }
  return {
    insert: (id, client, expiresAt) => records.insert(id, client, expiresAt),
    remove: (id) => records.remove(id),
    scan: () => records.scan(),
    find: (clientId) => sourceOf(clientId)?.find(clientId) ?? Promise.resolve(undefined),
    extendExpiry: async (clientId, until) => sourceOf(clientId)?.extendExpiry?.(clientId, until),
  }
}

/** An id that is an address is longer than one of ours. With a network, it stays below the limit of a limiter's key. */
export const LONGEST_CLIENT_ID = 512
const MOST_ATTEMPTS = 4

/** The clients of the store: those that registered themselves, and integrations. */
export function storedClients(records: Records<Client>): ClientSource {
  return {
    owns: (clientId) => clientId.length <= LONGEST_CLIENT_ID,
    find: (clientId) => records.find(clientId).then(clientOf),
    async extendExpiry(clientId, until) {
      for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
        const seen = await records.find(clientId)
        if (seen === undefined) throw new OAuthError(CLIENT_REFUSALS.client_unknown)
        if (seen.value.expiresAt >= until) return
        if (await records.replace(clientId, seen, { ...seen.value, expiresAt: until }, until)) return
      }
      throw new OAuthError(SERVER_REFUSALS.contention)
    },
  }
}

function clientOf(stored: Stored<Client> | undefined): Client | undefined {
  return stored?.value
}
