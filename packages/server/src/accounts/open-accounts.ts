import type { CommandNames } from '../command-names.ts'
import type { Config } from '../config/config.ts'
import type { AccountRows } from './account-rows.ts'
import { type Account, readAccounts } from './accounts.ts'

/** An account for a demonstration. Everybody knows its password. */
export interface DemoAccount {
  readonly account: Account & { readonly email: string }
  readonly publicPassword: string
}

/** Adds the accounts of the configured file, or in development the demo accounts to an empty database. */
export async function addMissingAccounts(
  accounts: AccountRows,
  { accountsFile, mode }: Config,
  demoAccounts: readonly DemoAccount[],
): Promise<void> {
  if (accountsFile !== undefined)
    for (const account of await readAccounts(accountsFile)) await accounts.add(account, { by: 'import' })
  else if (mode !== 'production') await accounts.addFirst(demoAccounts.map(({ account }) => account))
}

/** Whether the first demo account can sign in. */
export async function hasDemoAccount(
  accounts: AccountRows,
  { mode }: Config,
  [first]: readonly DemoAccount[],
): Promise<boolean> {
  if (mode === 'production' || first === undefined) return false
  return (await accounts.find(first.account.id)) !== undefined
}

/** The database may have been used in development. @throws Error when the password of an account is publicly known */
export async function refusePublicPasswords(
  accounts: AccountRows,
  demoAccounts: readonly DemoAccount[],
  commands: CommandNames,
): Promise<void> {
  for (const { account, publicPassword } of demoAccounts)
    if (await accounts.verify(account.email, publicPassword))
      throw new Error(
        `The password of ${account.email} is publicly known: remove the account with "${commands.users} remove" first`,
      )
}
