import type { AccountRows } from './account-rows.ts'

/** Called before all sessions of a user end. */
export type EndingSessions = (subject: string) => Promise<void>

/**
 * Accounts whose changes notify apps of the end of all sessions (back-channel logout). Apps are notified first: if the process
 * ends in between, they are notified once too often instead of never.
 */
export function accountsThatNotifyApps(accounts: AccountRows, ending: EndingSessions): AccountRows {
  return {
    ...accounts,
    async setPassword(id, hash) {
      await ending(id)
      return accounts.setPassword(id, hash)
    },
    async changePassword(account, hash, by) {
      await ending(account.id)
      return accounts.changePassword(account, hash, by)
    },
    async setDisabled(id, disabled) {
      if (disabled) await ending(id)
      return accounts.setDisabled(id, disabled)
    },
    async setAdmin(id, admin) {
      // A user who is no admin any more has to sign in again.
      if (!admin) await ending(id)
      return accounts.setAdmin(id, admin)
    },
    async endSessions(id, by) {
      await ending(id)
      return accounts.endSessions(id, by)
    },
    async remove(id) {
      await ending(id)
      return accounts.remove(id)
    },
  }
}
