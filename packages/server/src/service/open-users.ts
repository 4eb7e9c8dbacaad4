import type { AuthorizationServer } from '@grantkit/core'
import { PERSONAL_CLIENT_ID } from '@grantkit/core/personal-tokens'
import { type AccountDirectory, accountDirectory } from '../accounts/account-directory.ts'
import { type AccountRows, accountRows, accountsThatRehash } from '../accounts/account-rows.ts'
import {
  addMissingAccounts,
  hasDemoAccount,
  isExposed,
  refusePublicPasswords,
} from '../accounts/open-accounts.ts'
import { type PasswordChecks, passwordChecks, WITHOUT_QUEUE } from '../accounts/passwords.ts'
import type { SessionsEnding } from '../accounts/sessions.ts'
import { accountsOf, externalSignInFor, importedUsers, refuseOtherUsers } from '../accounts/users/users.ts'
import { AUTHENTICATION_CLASSES } from '../config/authentication-classes.ts'
import type { ExternalParts } from '../pages/parts.ts'
import type { ServiceContext } from '../service-context.ts'
import { withMails } from './account-mails.ts'

/** The users of a service: its own accounts, those of an application or of a directory. */
export interface OpenUsers {
  /** Users hear of its events too. */
  readonly context: ServiceContext
  readonly accounts: AccountRows
  readonly directory: AccountDirectory
  readonly checks: PasswordChecks
  /** Present if an application signs the users in. */
  readonly external: ExternalParts | undefined
  /** Whether passwords, passkeys and providers of this server sign the users in. */
  readonly builtIn: boolean
  /** Whether a demo account can sign in. */
  readonly demo: boolean
}

/**
 * Adds the accounts of the configured file and of demonstrations, unless a command opens them.
 *
 * @param server ends grants and tells apps, when sessions and passwords end
 * @throws Error when it adds accounts, and others could sign in with the password of a demonstration
 */
export async function openUsers(
  opened: ServiceContext,
  server: () => AuthorizationServer,
): Promise<OpenUsers> {
  const { definition, config, storage, secret, keys, delivers, onError } = opened
  const { database, store } = storage
  const { users } = config
  refuseOtherUsers(users, config)
  const context = withMails(opened, {
    account: (id) => known.find(id),
    sessions: (id) => rows.sessions.list(id),
  })
  const { onEvent, onWarning } = context
  const demoAccounts = users === undefined ? (definition.demoAccounts ?? []) : []
  const secrets = { pepper: config.passwordPepper, onPepperMissing: once(() => onWarning(PEPPER_MISSING)) }
  const ending: SessionsEnding = async ({ resetBy: by, ...ended }) => {
    await server().sessions.ended(ended)
    if (by) await server().grants.revokeAll(ended.subject, { clientId: PERSONAL_CLIENT_ID, by })
  }
  const rows = accountRows(database, onEvent, ending, onError, secrets)
  if (delivers) {
    await addMissingAccounts(rows, config, demoAccounts)
    await refusePublicPasswords(rows, config, demoAccounts, definition.program)
  }
  const imported = importedUsers(database, onEvent)
  const known = accountsOf(users, rows, imported)
  const builtIn = users === undefined
  const checks = builtIn ? passwordChecks() : WITHOUT_QUEUE
  const kept = demoAccounts.map(({ account }) => account.password)
  const classes = config.features.stepUp ? AUTHENTICATION_CLASSES : undefined
  const signIn = await externalSignInFor(users, { secret, baseUrl: config.baseUrl, store, keys, classes })
  const publiclyKnown = isExposed(config) ? demoAccounts.map(({ account }) => account) : []
  return {
    context,
    accounts: builtIn ? accountsThatRehash(known, { checks, kept, onError }) : known,
    directory: accountDirectory(database, publiclyKnown),
    checks,
    external: signIn && { signIn, imported },
    builtIn,
    demo: await hasDemoAccount(rows, config, demoAccounts),
  }
}

const PEPPER_MISSING =
  'PASSWORD_PEPPER is missing: a user who was imported from Devise cannot sign in with the password, and gets the answer to a wrong one'

function once(work: () => void): () => void {
  let isDone = false
  return () => {
    if (!isDone) work()
    isDone = true
  }
}
