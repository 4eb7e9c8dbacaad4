import type { AuthorizationServer } from '@grantkit/core'
import type { AccountRows } from '../accounts/account-rows.ts'

export interface OperatorActionsOptions {
  readonly accounts: AccountRows
  readonly grants: Pick<AuthorizationServer['grants'], 'revokeAll'>
}

/**
 * What an operator does with users: on a page, by the admin API and by a command. Repeating an action changes
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
}

export function operatorActions({ accounts, grants }: OperatorActionsOptions): OperatorActions {
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
  }
}
