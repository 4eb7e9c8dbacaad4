import type { Kernel } from '../kernel/kernel.ts'
import type { Client, Grant } from '../kernel/records.ts'
import { liveUntil } from './grant.ts'
import { endGrant } from './grant-end.ts'

/** A grant, for a page of its user. Times are epoch seconds. */
export interface UserGrant
  extends Omit<Grant, 'nonce' | 'ticketEndsAt' | 'code' | 'refresh' | 'accessTokens'> {
  /** Absent when the client was removed; the grant then ends with its access tokens. */
  readonly client?: Client | undefined
}

/** The user ended the grant, or the operator ended all grants of the user. */
export interface UserGrantRevoked {
  readonly type: 'grant_revoked'
  readonly grantId: string
  readonly clientId: string
  readonly by: 'user' | 'operator'
}

/** The live grants of a user, the most recently used first. */
export async function listUserGrants(kernel: Kernel, subject: string): Promise<UserGrant[]> {
  const grants = await kernel.store.grants.listBySubject(subject)
  const live = grants.filter((grant) => kernel.now() < liveUntil(grant))
  const listed = await Promise.all(live.map((grant) => userGrant(kernel, grant)))
  return listed.sort((one, other) => other.usedAt - one.usedAt || other.createdAt - one.createdAt)
}

async function userGrant({ store }: Kernel, grant: Grant): Promise<UserGrant> {
  const { id, clientId, scopes, resources, redirectUri, authTime, createdAt, usedAt, expiresAt } = grant
  const client = await store.clients.find(clientId)
  return { id, clientId, scopes, resources, redirectUri, authTime, createdAt, usedAt, expiresAt, client }
}

/** A grant id never changes its user, so nothing can go wrong between the read and the end. */
export async function revokeUserGrant(
  kernel: Kernel,
  subject: string,
  id: string,
  by: UserGrantRevoked['by'] = 'user',
): Promise<boolean> {
  const stored = await kernel.store.grants.find(id)
  if (stored === undefined || stored.value.subject !== subject) return false
  const ended = await endGrant(kernel, stored)
  const { clientId } = stored.value
  if (ended) kernel.emit({ type: 'grant_revoked', grantId: id, clientId, by } satisfies UserGrantRevoked)
  return ended
}

export async function revokeUserGrants(kernel: Kernel, subject: string): Promise<number> {
  let ended = 0
  for (const { id } of await kernel.store.grants.listBySubject(subject))
    if (await revokeUserGrant(kernel, subject, id, 'operator')) ended++
  return ended
}
