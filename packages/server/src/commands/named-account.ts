import type { AccountDirectory, AccountEntry } from '../accounts/account-directory.ts'
import { plain } from './terminal.ts'

/** The argument of commands that take it. */
export const userArgument = {
  type: 'positional',
  required: true,
  description: 'the e-mail address of an account, or its id',
} as const

/** The account with an e-mail address or an id. @throws Error if there is none */
export async function namedAccount(directory: AccountDirectory, named: string): Promise<AccountEntry> {
  const account = (await directory.withEmail(named)) ?? (await directory.find(named))
  if (account === undefined) throw new Error(`${plain(named)} has no account.`)
  return account
}

/**
 * The same for a command that gives the user more rights. An address that the operator did not add may belong to
 * another person than the operator means, so such an account must be named by its id.
 *
 * @throws Error that says who verified the address
 */
export async function trustedAccount(directory: AccountDirectory, named: string): Promise<AccountEntry> {
  const account = await namedAccount(directory, named)
  if (account.id === named || account.emailSource === 'operator') return account
  throw new Error(
    `${emailSourceOf(account)}. If the account is the right one, name it by its id: ${plain(account.id)}`,
  )
}

/** Who verified the address. */
export function emailSourceOf({ email, emailSource, emailSince }: AccountEntry): string {
  if (email === undefined) return 'No address of this account is verified'
  const address = plain(email)
  if (emailSource === undefined) return `It is not known who verified ${address}`
  const how = emailSource === 'operator' ? 'added by an operator' : `verified by ${plain(emailSource)}`
  return `${address} was ${how}${emailSince === undefined ? '' : ` on ${emailSince.slice(0, 10)}`}`
}
