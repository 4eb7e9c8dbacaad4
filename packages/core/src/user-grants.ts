import { keptUntil } from './rules/grant.ts'
import type { ServerContext } from './server-context.ts'
import type { Client, Grant } from './store.ts'

/** What a user allowed an app, for a page of theirs. Times are epoch seconds. */
export interface UserGrant
  extends Pick<
    Grant,
    | 'id'
    | 'clientId'
    | 'scopes'
    | 'resources'
    | 'redirectUri'
    | 'authTime'
    | 'createdAt'
    | 'usedAt'
    | 'expiresAt'
  > {
  /** Absent when the client is gone; what is left of the grant then ends with its access tokens. */
  readonly client?: Client
}

/** The live grants of a user, the one that fetched tokens last first. */
export async function listUserGrants(server: ServerContext, subject: string): Promise<UserGrant[]> {
  const grants = await server.store.grants.listBySubject(subject)
  const live = grants.filter((grant) => server.now() < keptUntil(grant))
  const listed = await Promise.all(live.map((grant) => userGrant(server, grant)))
  return listed.sort((one, other) => other.usedAt - one.usedAt || other.createdAt - one.createdAt)
}

async function userGrant(server: ServerContext, grant: Grant): Promise<UserGrant> {
  const { id, clientId, scopes, resources, redirectUri, authTime, createdAt, usedAt, expiresAt } = grant
  const client = (await server.store.clients.find(clientId))?.value
  return {
    ...{ id, clientId, scopes, resources, redirectUri, authTime, createdAt, usedAt, expiresAt },
    ...(client === undefined ? {} : { client }),
  }
}

/** An id never passes to another user, so nothing can come between the look and the removal. */
export async function revokeUserGrant(server: ServerContext, subject: string, id: string): Promise<boolean> {
  const grant = (await server.store.grants.find(id))?.value
  if (grant === undefined || grant.subject !== subject) return false
  await server.store.grants.remove(id)
  server.onEvent({ type: 'grant_revoked', grantId: id, clientId: grant.clientId, by: 'user' })
  return true
}
