import type { AccountRows } from './account-rows.ts'

/** Ends the personal access tokens of a user. @param by who resets the password */
export type EndTokens = (subject: string, by: 'user' | 'operator') => Promise<unknown>

/**
 * Accounts whose password resets end the personal access tokens: whoever knew the old password may have created one. A user who
 * only changes the password knows the old one, and keeps them.
 */
export function accountsThatEndTokens(accounts: AccountRows, endTokens: EndTokens): AccountRows {
  /** First, so that an outage changes nothing; and once more, because until then a session could create another one. */
  async function around<Result>(subject: string, by: 'user' | 'operator', change: () => Promise<Result>) {
    await endTokens(subject, by)
    const result = await change()
    await endTokens(subject, by)
    return result
  }
  return {
    ...accounts,
    setPassword: (id, hash) => around(id, 'operator', () => accounts.setPassword(id, hash)),
    async changePassword(account, hash, by) {
      const change = () => accounts.changePassword(account, hash, by)
      return by === 'mail' ? around(account.id, 'user', change) : change()
    },
  }
}
