import { isLoopbackUrl } from '@grantkit/core/feature'
import type { Config } from '../config/config.ts'
import type { AccountRows } from './account-rows.ts'
import { type Account, readAccounts } from './accounts.ts'

/** An account for a demonstration. Everybody knows its password. */
export interface DemoAccount {
  readonly account: Account & { readonly email: string }
  readonly publicPassword: string
}

/** Whether others may reach the server, by its address or by its port. */
export function isExposed({ mode, host }: Pick<Config, 'mode' | 'host'>): boolean {
  return mode === 'production' || !isLoopbackUrl(`http://${host.includes(':') ? `[${host}]` : host}`)
}

/** Adds the accounts of the configured file, or the demo accounts if the server is not exposed. Removed accounts stay removed. */
export async function addMissingAccounts(
  accounts: AccountRows,
  config: Config,
  demoAccounts: readonly DemoAccount[],
): Promise<void> {
  if (config.accountsFile !== undefined)
    for (const account of await readAccounts(config.accountsFile))
      await accounts.add(account, { by: 'import' })
  else if (!isExposed(config))
    for (const { account } of demoAccounts) await accounts.add(account, { by: 'demo' })
}

/** Whether the first demo account can sign in. */
export async function hasDemoAccount(
  accounts: AccountRows,
  config: Config,
  [first]: readonly DemoAccount[],
): Promise<boolean> {
  if (isExposed(config) || first === undefined) return false
  return (await accounts.find(first.account.id)) !== undefined
}

/** The database may have been used in development. @throws Error when the password of an account is publicly known */
export async function refusePublicPasswords(
  accounts: AccountRows,
  config: Config,
  demoAccounts: readonly DemoAccount[],
  program = 'grantkit',
): Promise<void> {
  if (!isExposed(config)) return
  for (const { account, publicPassword } of demoAccounts)
    if (await accounts.verify(account.email, publicPassword))
      throw new Error(
        `The password of ${account.email} is publicly known: remove the account with "${program} users remove" first`,
      )
}
