import type { Kernel } from '../kernel/kernel.ts'
import type { Grant } from '../kernel/records.ts'
import { holderOf, withoutOrphans } from './access-tokens.ts'
import { changeGrant, endGrant } from './change-grant.ts'

/** The result of removing a client. */
export interface ClientRemoval {
  /** Whether the client existed. */
  readonly existed: boolean
  /** The number of grants that ended with it. */
  readonly grantsEnded: number
}

export type RemovalEvent =
  /** A client was removed, and its grants with it. */
  | { readonly type: 'client_removed'; readonly clientId: string; readonly grantsEnded: number }
  /** The grant ended with its client. */
  | {
      readonly type: 'grant_revoked'
      readonly grantId: string
      readonly clientId: string
      readonly subject?: string | undefined
      readonly by: 'operator'
      readonly reason: 'client_removed'
    }

/**
 * Removes a client, ends its grants with all their tokens, and ends the tokens that it holds of the grants of others. The
 * client goes first: without it no caller can exchange its codes or tokens or use a new grant of it, so the scan finds every
 * grant that matters. If it fails halfway, call it again to finish.
 */
export async function removeClient(kernel: Kernel, clientId: string): Promise<ClientRemoval> {
  const existed = await kernel.store.clients.remove(clientId)
  const grantsEnded = await endGrantsOf(kernel, clientId)
  if (existed || grantsEnded > 0)
    kernel.emit({ type: 'client_removed', clientId, grantsEnded } satisfies RemovalEvent)
  return { existed, grantsEnded }
}

async function endGrantsOf(kernel: Kernel, clientId: string): Promise<number> {
  const { store, emit } = kernel
  let ended = 0
  const why = { by: 'operator', reason: 'client_removed' } as const
  for await (const grant of store.grants.scan()) {
    const { id: grantId, clientId: owner, subject } = grant
    if (owner !== clientId) {
      await endTokensHeldBy(kernel, clientId, grant)
      continue
    }
    const stored = await store.grants.find(grantId)
    if (stored === undefined || !(await endGrant(kernel, stored, why))) continue
    ended++
    emit({ type: 'grant_revoked', grantId, clientId, subject, ...why } satisfies RemovalEvent)
  }
  return ended
}

async function endTokensHeldBy(kernel: Kernel, clientId: string, scanned: Grant): Promise<void> {
  if (scanned.accessTokens.every((token) => holderOf(scanned, token) !== clientId)) return
  await changeGrant(kernel, scanned.id, (grant) => {
    const others = grant.accessTokens.filter((token) => holderOf(grant, token) !== clientId)
    return { kind: 'changed', grant: { ...grant, accessTokens: withoutOrphans(others) }, result: undefined }
  })
}
