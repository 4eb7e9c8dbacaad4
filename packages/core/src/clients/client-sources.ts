import type { Clients, RequestingUser } from '../kernel/kernel.ts'
import { defineErrors, OAuthError } from '../kernel/oauth-error.ts'
import type { Client } from '../kernel/records.ts'
import { changeRecord, type Records, type Stored } from '../kernel/store.ts'
import type { WaitingPorts } from '../kernel/time.ts'

export const CLIENT_ERRORS = defineErrors({
  client_unknown: ['invalid_client', 'No client has this client_id. The client must register again'],
  client_not_approved: [
    'invalid_client',
    'No user has approved this client yet. Begin at the authorization endpoint',
  ],
})

/** A source of clients: the store, or anything else that a feature turns into a client. */
export interface ClientSource {
  /** Whether this source is responsible for ids of this form. Only the first source that returns true is used. */
  owns(clientId: string): boolean
  /** A client that exists. Unauthenticated callers reach it, so it must not cause outbound requests. */
  find(clientId: string): Promise<Client | undefined>
  /** The host from which `describe` fetches the document of this client, if it does. Then the user signs in first. */
  describedBy?(clientId: string): string | undefined
  /** The client of a new authorization. Default: `find`. @param user present if `describedBy` names a host */
  describe?(clientId: string, user?: RequestingUser): Promise<Client | undefined>
  /** Keeps an approved client at least until `until` (epoch seconds). Absent if clients of this source do not expire. */
  keep?(client: Client, until: number): Promise<void>
  /** Removes a client, and returns whether it existed. Default: removes its record. */
  remove?(clientId: string): Promise<boolean>
}

/** The clients of all sources. @param sources in the order of their look-up; features may add one until the first request */
export function clientsOf(records: Records<Client>, sources: readonly ClientSource[]): Clients {
  function sourceOf(clientId: string): ClientSource | undefined {
    for (const source of sources) if (source.owns(clientId)) return source
    return undefined
  }
  const find: Clients['find'] = (clientId) => sourceOf(clientId)?.find(clientId) ?? Promise.resolve(undefined)
  return {
    records,
    find,
    describedBy: (clientId) => sourceOf(clientId)?.describedBy?.(clientId),
    describe: (clientId, user) => sourceOf(clientId)?.describe?.(clientId, user) ?? find(clientId),
    keep: async (client, until) => sourceOf(client.clientId)?.keep?.(client, until),
    remove: (clientId) => sourceOf(clientId)?.remove?.(clientId) ?? records.remove(clientId),
  }
}

/** An id that is a URL is longer than a generated one. With a network, it stays below the maximum length of a limiter's key. */
export const MAX_CLIENT_ID_LENGTH = 512

/** The clients of the store: self-registered and static ones. */
export function storedClients(records: Records<Client>, ports: WaitingPorts): ClientSource {
  return {
    owns: (clientId) => clientId.length <= MAX_CLIENT_ID_LENGTH,
    find: (clientId) => records.find(clientId).then(clientOf),
    describe: (clientId) => records.find(clientId).then(undescribedClientOf),
    keep: ({ clientId }, until) =>
      changeRecord(records, clientId, ports, (seen) => {
        if (seen === undefined) throw new OAuthError(CLIENT_ERRORS.client_unknown)
        return seen.expiresAt >= until ? undefined : { ...seen, expiresAt: until }
      }).then(() => {}),
  }
}

/** The client of a record, unless the operator removed it. */
function clientOf(stored: Stored<Client> | undefined): Client | undefined {
  return stored?.value.refused === true ? undefined : stored?.value
}

/** If documents are no longer fetched, existing grants of their clients go on, and no new authorization begins. */
function undescribedClientOf(stored: Stored<Client> | undefined): Client | undefined {
  return stored?.value.document === undefined ? clientOf(stored) : undefined
}
