import type { Kernel } from '../kernel/kernel.ts'

/** The result of removing a client. */
export interface ClientRemoval {
  /** Whether the client existed. */
  readonly existed: boolean
  /** The number of grants that ended with it. */
  readonly grantsEnded: number
}

export type RemovalEvent =
  | { readonly type: 'client_removed'; readonly clientId: string; readonly grantsEnded: number }
  | {
      readonly type: 'grant_revoked'
      readonly grantId: string
      readonly clientId: string
      readonly subject?: string | undefined
      readonly by: 'operator'
      readonly reason: 'client_removed'
    }

/**
 * Removes a client and ends its grants with all their tokens. The client goes first. Without it nobody can exchange its
 * codes or tokens or use a new grant of it, so the scan finds every grant that matters. If it fails halfway, call it
 * again to finish.
 */
export async function removeClient(kernel: Kernel, clientId: string): Promise<ClientRemoval> {
  const existed = await kernel.store.clients.remove(clientId)
  const grantsEnded = await endGrantsOf(kernel, clientId)
  if (existed || grantsEnded > 0)
    kernel.emit({ type: 'client_removed', clientId, grantsEnded } satisfies RemovalEvent)
  return { existed, grantsEnded }
}

async function endGrantsOf({ store, emit }: Kernel, clientId: string): Promise<number> {
  let ended = 0
  const why = { by: 'operator', reason: 'client_removed' } as const
  for await (const { id: grantId, clientId: owner, subject } of store.grants.scan()) {
    if (owner !== clientId || !(await store.grants.remove(grantId))) continue
    ended++
    emit({ type: 'grant_revoked', grantId, clientId, subject, ...why } satisfies RemovalEvent)
  }
  return ended
}
