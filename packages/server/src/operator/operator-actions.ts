import { setTimeout as sleep } from 'node:timers/promises'
import type { AuthorizationServer } from '@grantkit/core'
import type { AccountRows } from '../accounts/account-rows.ts'

export interface OperatorActionsOptions {
  readonly accounts: AccountRows
  readonly clients: Pick<AuthorizationServer['clients'], 'remove'>
  readonly grants: Pick<AuthorizationServer['grants'], 'revokeAll'>
  /** Called with errors of work that continues after its result. */
  readonly onError: (error: unknown) => void
}

/**
 * What an operator does with users and clients: on a page, by the admin API and by a command. Repeating an action changes
 * nothing.
 */
export interface OperatorActions {
  /**
   * Ends the sessions and grants of a user, who cannot sign in until `enableUser`.
   *
   * @returns how many grants ended; `undefined`: there is no such user
   */
  disableUser(id: string): Promise<number | undefined>
  /** `false`: there is no such user. */
  enableUser(id: string): Promise<boolean>
  /** Whether the user may use the admin pages and the admin API. `false`: there is no such user. */
  setAdmin(id: string, admin: boolean): Promise<boolean>
  /**
   * Removes the account, and ends all grants of this `sub`. A user of an application or a directory needs no account to
   * be kept out.
   *
   * @returns how many grants ended
   */
  removeUser(id: string): Promise<number>
  /**
   * Removes a client. `continues`: the client is gone, and its grants are still ending one after another, because a
   * removal reads every grant.
   */
  removeClient(id: string): Promise<'done' | 'continues'>
}

/** Milliseconds. A removal with few grants is done by then; with many, the response is sent before it is done. */
const PATIENCE = 2000

export function operatorActions({
  accounts,
  clients,
  grants,
  onError,
}: OperatorActionsOptions): OperatorActions {
  return {
    async disableUser(id) {
      // The account is disabled first, so that no consent can open another grant.
      return (await accounts.setDisabled(id, true)) ? grants.revokeAll(id) : undefined
    },
    enableUser: (id) => accounts.setDisabled(id, false),
    setAdmin: (id, admin) => accounts.setAdmin(id, admin),
    async removeUser(id) {
      await accounts.remove(id)
      return grants.revokeAll(id)
    },
    removeClient: removal(clients, onError),
  }
}

/** The client itself is removed first: from then on none of its codes and tokens can be exchanged or refreshed. */
function removal(
  clients: OperatorActionsOptions['clients'],
  onError: (error: unknown) => void,
): OperatorActions['removeClient'] {
  const pending = new Map<string, Promise<unknown>>()
  return async (id) => {
    const removed = pending.get(id) ?? clients.remove(id).finally(() => pending.delete(id))
    pending.set(id, removed)
    let answered = false
    removed.catch((error) => answered && onError(error))
    const done = removed.then(() => 'done' as const)
    const result = await Promise.race([done, sleep(PATIENCE, 'continues' as const, { ref: false })])
    answered = true
    return result
  }
}
