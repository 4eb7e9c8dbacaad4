import { findClient } from './client-lookup.ts'
import type { ServerContext } from './server-context.ts'

/** What the removal of a client found. */
export interface ClientRemoval {
  /** Whether there was such a client. */
  readonly existed: boolean
  /** How many grants ended with it. */
  readonly grantsEnded: number
}

/**
 * Removes a client and ends its grants, with every token of them. In this order: once the client is gone, nothing
 * exchanges a code or a token of it, and no grant of it can be opened that anybody could use. So the grants that the
 * scan finds are all that matter. A removal that broke off is finished by the next.
 */
export async function removeClient(server: ServerContext, clientId: string): Promise<ClientRemoval> {
  const existed = (await findClient(server, clientId)) !== undefined
  await server.store.clients.remove(clientId)
  const grantsEnded = await endGrantsOf(server, clientId)
  if (existed || grantsEnded > 0) server.onEvent({ type: 'client_removed', clientId, grantsEnded })
  return { existed, grantsEnded }
}

async function endGrantsOf(server: ServerContext, clientId: string): Promise<number> {
  const ended = new Set<string>()
  for await (const grant of server.store.grants.scan()) {
    if (grant.clientId !== clientId || ended.has(grant.id)) continue
    await server.store.grants.remove(grant.id)
    ended.add(grant.id)
    server.onEvent({ type: 'grant_revoked', grantId: grant.id, clientId, by: 'operator' })
  }
  return ended.size
}
