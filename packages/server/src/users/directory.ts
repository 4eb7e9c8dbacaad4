import { OAuthError } from '@grantkit/core'
import { ERRORS } from '@grantkit/core/errors'
import { withClaims } from '../accounts/account-record.ts'
import type { AccountRows } from '../accounts/account-rows.ts'
import { UserId, userClaims } from '../accounts/user-claims.ts'
import type { DirectoryOptions, DirectoryUser } from '../config/directory.ts'
import type { ImportedUser, ImportedUsers } from './imported-users.ts'
import { withinTime } from './within-time.ts'

/** The accounts, with passwords and claims from the directory. What the operator does with accounts stays as it is. */
export function directoryAccounts(
  accounts: AccountRows,
  imported: ImportedUsers,
  people: DirectoryOptions,
): AccountRows {
  const claimsOf = async (sub: string) => {
    const user = await callDirectory('find', () => people.find(sub))
    return user && userOf(user).claims
  }
  return {
    ...accounts,
    async verify(login, password) {
      const user = await callDirectory('verifyPassword', () => people.verifyPassword(login, password))
      const account = user && (await imported.signIn(userOf(user)))
      return typeof account === 'string' ? undefined : account
    },
    async find(id) {
      const account = await accounts.find(id)
      const claims = account && (await claimsOf(id))
      return claims && withClaims(account, claims)
    },
    async claims(id) {
      return (await accounts.claims(id)) && claimsOf(id)
    },
  }
}

/** @throws Error for a user without a usable id, which is a fault of the directory and not of the user */
function userOf(user: DirectoryUser): ImportedUser {
  return { sub: UserId.parse(user.sub), claims: userClaims(user) }
}

async function callDirectory<T>(name: keyof DirectoryOptions, work: () => Promise<T>): Promise<T> {
  try {
    return await withinTime(name, work)
  } catch (cause) {
    throw new OAuthError(ERRORS.claims_unavailable, undefined, { cause })
  }
}
