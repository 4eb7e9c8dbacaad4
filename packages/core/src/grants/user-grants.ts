import { type PublicClient, publicClient } from '../clients/public-client.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { Client, Grant } from '../kernel/records.ts'
import { liveUntil } from './grant.ts'
import { endGrant } from './grant-end.ts'

/** A grant, for a page of its user. Times are epoch seconds. */
export interface UserGrant
  extends Omit<Grant, 'withheldScopes' | 'nonce' | 'ticketEndsAt' | 'code' | 'refresh' | 'accessTokens'> {
  /** Absent when the client was removed; the grant then ends with its access tokens. */
  readonly client?: PublicClient | undefined
}

/** The user or the operator ended the grant. */
export interface UserGrantRevoked {
  readonly type: 'grant_revoked'
  readonly grantId: string
  readonly clientId: string
  readonly subject: string
  readonly by: 'user' | 'operator'
  readonly reason?: 'subject_gone' | undefined
}

type Ended = Pick<UserGrantRevoked, 'by' | 'reason'>

/** The grants of users. Every method takes the user, so a page can only touch the grants of its own user. */
export interface UserGrants {
  /** The live grants of a user, the most recently used first. */
  list(subject: string): Promise<UserGrant[]>
  /**
   * Ends a grant of this user: consent and all tokens in one step. Returns `false`, and changes nothing, when the grant
   * does not exist or belongs to somebody else.
   *
   * @param by who the event says did it; the user, if left out
   */
  revoke(subject: string, grantId: string, by?: 'user' | 'operator'): Promise<boolean>
  /**
   * Ends every grant of a user who is removed or disabled. Do that first: then no consent opens another one. If it fails
   * halfway, call it again to finish.
   *
   * @returns the number of grants that ended
   */
  revokeAll(subject: string): Promise<number>
}

export function userGrants(kernel: Kernel): UserGrants {
  return {
    list: (subject) => listUserGrants(kernel, subject),
    revoke: (subject, grantId, by = 'user') => revokeUserGrant(kernel, subject, grantId, { by }),
    revokeAll: (subject) => revokeUserGrants(kernel, subject),
  }
}

async function listUserGrants(kernel: Kernel, subject: string): Promise<UserGrant[]> {
  const grants = await kernel.store.grants.listBySubject(subject)
  const live = grants.filter((grant) => kernel.now() < liveUntil(grant))
  const clients = await clientsOf(kernel, live)
  return live
    .sort((one, other) => other.usedAt - one.usedAt || other.createdAt - one.createdAt)
    .map((grant) => userGrant(grant, clients.get(grant.clientId)))
}

/** Reads a hundred at a time: thousands at once would outlast the time limit of a store. */
async function clientsOf({ store }: Kernel, grants: readonly Grant[]) {
  const ids = [...new Set(grants.map(({ clientId }) => clientId))]
  const clients = new Map<string, Client | undefined>()
  for (let start = 0; start < ids.length; start += 100) {
    const some = ids.slice(start, start + 100)
    await Promise.all(some.map(async (id) => clients.set(id, await store.clients.find(id))))
  }
  return clients
}

function userGrant(grant: Grant, client: Client | undefined): UserGrant {
  const { id, clientId, scopes, resources, redirectUri, origin, network } = grant
  const { authTime, createdAt, usedAt, expiresAt } = grant
  const times = { authTime, createdAt, usedAt, expiresAt }
  return {
    id,
    clientId,
    scopes,
    resources,
    redirectUri,
    origin,
    network,
    ...times,
    client: client && publicClient(client),
  }
}

/** A grant id never changes its user, so nothing can go wrong between the read and the end. */
export async function revokeUserGrant(
  kernel: Kernel,
  subject: string,
  id: string,
  why: Ended = { by: 'user' },
): Promise<boolean> {
  const stored = await kernel.store.grants.find(id)
  if (stored === undefined || stored.value.subject !== subject) return false
  const ended = await endGrant(kernel, stored)
  const { clientId } = stored.value
  if (ended)
    kernel.emit({ type: 'grant_revoked', grantId: id, clientId, subject, ...why } satisfies UserGrantRevoked)
  return ended
}

async function revokeUserGrants(kernel: Kernel, subject: string): Promise<number> {
  let ended = 0
  const why = { by: 'operator', reason: 'subject_gone' } as const
  for (const { id } of await kernel.store.grants.listBySubject(subject))
    if (await revokeUserGrant(kernel, subject, id, why)) ended++
  return ended
}
