import type { Kernel } from '../kernel/kernel.ts'

/** What the removal of a client found. */
export interface ClientRemoval {
  /** Whether there was such a client. */
  readonly existed: boolean
  /** How many grants ended with it. */
  readonly grantsEnded: number
}

export type RemovalEvent =
  | { readonly type: 'client_removed'; readonly clientId: string; readonly grantsEnded: number }
  | {
      readonly type: 'grant_revoked'
      readonly grantId: string
      readonly clientId: string
      readonly by: 'operator'
    }

/**
 * Removes a client and ends its grants, with every token of them. The client goes first: from then on nothing exchanges
 * a code or a token of it, and no grant of it can be opened that anybody could use, so the grants that the scan finds
 * are all that matter. A removal that broke off is finished by the next.
 */
export async function removeClient(kernel: Kernel, clientId: string): Promise<ClientRemoval> {
  const { clients } = kernel.store
  const existed = (await clients.find(clientId)) !== undefined
  await clients.remove(clientId)
  const grantsEnded = await endGrantsOf(kernel, clientId)
  if (existed || grantsEnded > 0)
    kernel.emit({ type: 'client_removed', clientId, grantsEnded } satisfies RemovalEvent)
  return { existed, grantsEnded }
}

async function endGrantsOf({ store, emit }: Kernel, clientId: string): Promise<number> {
  const ended = new Set<string>()
  for await (const grant of store.grants.scan()) {
    if (grant.clientId !== clientId || ended.has(grant.id)) continue
    await store.grants.remove(grant.id)
    ended.add(grant.id)
    emit({ type: 'grant_revoked', grantId: grant.id, clientId, by: 'operator' } satisfies RemovalEvent)
  }
  return ended.size
}
