import { type AccountDirectory, accountDirectory } from '../accounts/account-directory.ts'
import { type AccountRows, accountRows } from '../accounts/account-rows.ts'
import {
  addMissingAccounts,
  hasDemoAccount,
  isExposed,
  refusePublicPasswords,
} from '../accounts/open-accounts.ts'
import type { SessionsEnding } from '../accounts/sessions.ts'
import { accountsOf, externalSignInFor, importedUsers, refuseOtherUsers } from '../accounts/users/users.ts'
import { AUTHENTICATION_CLASSES } from '../config/authentication-classes.ts'
import { commandNamesOf } from '../config/command-names.ts'
import type { ExternalParts } from '../pages/external-login.ts'
import type { ServiceContext } from '../service-context.ts'

/** The users of a service: its own accounts, those of an application or of a directory. */
export interface OpenUsers {
  readonly accounts: AccountRows
  readonly directory: AccountDirectory
  /** Present if an application signs the users in. */
  readonly external: ExternalParts | undefined
  /** Whether passwords, passkeys and providers of this server sign the users in. */
  readonly builtIn: boolean
  /** Whether a demo account can sign in. */
  readonly demo: boolean
}

/**
 * @param addsAccounts whether to add those of the configured file and of demonstrations
 * @throws Error when it adds them, and others could sign in with the password of a demonstration
 */
export async function openUsers(
  context: ServiceContext,
  addsAccounts: boolean,
  sessionsEnding: SessionsEnding,
): Promise<OpenUsers> {
  const { definition, config, storage, secret, keys, onEvent, onError } = context
  const { database, store } = storage
  const { users } = config
  refuseOtherUsers(users, config)
  const demoAccounts = users === undefined ? (definition.demoAccounts ?? []) : []
  const rows = accountRows(database, onEvent, sessionsEnding, onError)
  if (addsAccounts) {
    await addMissingAccounts(rows, config, demoAccounts)
    await refusePublicPasswords(rows, config, demoAccounts, commandNamesOf(definition))
  }
  const imported = importedUsers(database, onEvent)
  const classes = config.features.stepUp ? AUTHENTICATION_CLASSES : undefined
  const signIn = await externalSignInFor(users, { secret, baseUrl: config.baseUrl, store, keys, classes })
  const publiclyKnown = isExposed(config) ? demoAccounts.map(({ account }) => account) : []
  return {
    accounts: accountsOf(users, rows, imported),
    directory: accountDirectory(database, publiclyKnown),
    external: signIn && { signIn, imported },
    builtIn: users === undefined,
    demo: await hasDemoAccount(rows, config, demoAccounts),
  }
}
