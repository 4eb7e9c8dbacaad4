import type { AccountDirectory, AccountEntry } from '../accounts/account-directory.ts'
import type { AuditTrail } from '../audit/trail.ts'
import type { Database } from '../database/database.ts'
import type { ConfiguredService } from '../definition.ts'
import type { Service } from '../service/service.ts'
import type { Storage } from '../storage.ts'
import { plain } from './terminal.ts'

type Work = (service: Service, storage: Storage) => Promise<void>

/** Opens the service for a command. The trail names the operating-system user who runs it. */
export async function withService({ config, definition }: ConfiguredService, work: Work): Promise<void> {
  // Loaded here, so that an invalid command line fails without loading them.
  const { actingAs, systemUser } = await import('../audit/caller.ts')
  const { createService } = await import('../service/service.ts')
  const { openStorage } = await import('../storage.ts')
  const storage = await openStorage(config, console.error, { definition, migrating: false })
  try {
    const observers = { onEvent: () => {}, onError: console.error }
    const service = await createService({ definition, config, observers, storage, addsAccounts: false })
    await actingAs(systemUser(), () => work(service, storage))
    await service.settled()
  } finally {
    await storage.close()
  }
}

/**
 * The same for the clients and grants of the running service. @throws Error if the store is not shared between
 * processes
 */
export async function withSharedStore(configured: ConfiguredService, work: Work): Promise<void> {
  if (configured.config.store === 'memory:')
    throw new Error('STORE_URL is memory:, which ends with its process. Name the store of the service.')
  return withService(configured, work)
}

/** Opens the audit trail for a command that needs no other part of the service. */
export async function withTrail(
  { config, definition }: ConfiguredService,
  work: (trail: AuditTrail, database: Database) => Promise<void>,
): Promise<void> {
  const { actingAs, systemUser } = await import('../audit/caller.ts')
  const { auditTrail } = await import('../audit/trail.ts')
  const { openMigrated } = await import('../database/migrate.ts')
  const { withAppMigrations } = await import('../database/migrations.ts')
  const { variableAtFault } = await import('../config/fields.ts')
  const { postgresPassword } = await import('../database/postgres-password.ts')
  const { database: url, auditDays: days } = config
  const password = await postgresPassword(config, 'database', console.error)
  const open = () => openMigrated(url, console.error, withAppMigrations(definition.migrations), password)
  const database = await variableAtFault('DATABASE_URL', open, definition.program)
  try {
    const trail = auditTrail(database, { days, onWarning: console.error })
    await actingAs(systemUser(), () => work(trail, database))
    await trail.close()
  } finally {
    await database.destroy()
  }
}

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

/** The id of a user whom a command names by address or id. A user of an application, or one that was removed, has the id alone. */
export async function subjectNamed(directory: AccountDirectory, named: string): Promise<string> {
  return named.includes('@') ? (await namedAccount(directory, named)).id : named
}
