import type { AccountRows } from '../accounts/account-rows.ts'
import type { Config } from '../config/config.ts'
import type { DirectoryUsers } from '../config/directory.ts'
import type { ExternalUsers } from '../config/external-sign-in.ts'
import type { ExternalSignIn, ExternalSignInParts } from '../external-sign-in/external-sign-in.ts'
import { directoryAccounts } from './directory.ts'
import type { ImportedUsers } from './imported-users.ts'
import { checkedAccounts, userCheck } from './user-checks.ts'

/** Who the users are, if they are not the accounts of this server. */
export type Users = ExternalUsers | DirectoryUsers

/** @throws Error that names a key that only the accounts of this server have */
export function refuseOtherUsers(users: Users | undefined, config: Config): void {
  if (users === undefined) return
  const { accountsFile, upstreamFile, upstream } = config
  const refused = Object.entries({
    'accountsFile or ACCOUNTS_FILE': accountsFile,
    'upstreamFile or UPSTREAM_FILE': upstreamFile,
    upstream: upstream[0],
  })
  for (const [name, value] of refused)
    if (value !== undefined)
      throw new Error(`${name} must be left out: the users are those of ${whose(users)}`)
}

function whose(users: Users): string {
  return users.kind === 'external' ? `the application at ${users.url}` : 'your directory'
}

/** The accounts as sessions, UserInfo and refreshes see them. */
export function accountsOf(
  users: Users | undefined,
  rows: AccountRows,
  imported: ImportedUsers,
): AccountRows {
  if (users === undefined) return rows
  const accounts = { ...rows, remove: removal(rows, imported) }
  if (users.kind === 'directory') return directoryAccounts(accounts, imported, users.directory)
  const { check, checkSeconds } = users
  if (check === undefined) return accounts
  return checkedAccounts(
    accounts,
    userCheck((sub) => check(sub), checkSeconds),
  )
}

/** Also of a user who has not signed in yet, and may do so at this moment. */
function removal({ remove }: AccountRows, { refuse }: ImportedUsers): AccountRows['remove'] {
  return async (id) => (await remove(id)) || (await refuse(id)) || remove(id)
}

/** Loads the library of signatures only where it is needed. */
export async function externalSignInFor(
  users: Users | undefined,
  parts: ExternalSignInParts,
): Promise<ExternalSignIn | undefined> {
  if (users?.kind !== 'external') return undefined
  const { externalSignInOf } = await import('../external-sign-in/external-sign-in.ts')
  return externalSignInOf(users, parts)
}
