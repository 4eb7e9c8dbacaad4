import type { Migration } from 'kysely/migration'
import { addAdminColumn, createAccounts, createInstallationNames } from './account-tables.ts'
import { createAttemptSteps } from './attempt-steps-table.ts'
import { createAudit } from './audit-table.ts'
import { createRateLimits } from './rate-limit-table.ts'
import { addSessionEpochAndEmailSource } from './session-epoch-and-email-source.ts'
import { createSignInTables } from './sign-in-tables.ts'
import { createStatistics } from './statistic-table.ts'

/** The migrations of a service, for its own tables. They run with those of the server, in the order of their names. */
export interface AppMigrations {
  /** The table that records the applied ones. Default: `grantkit_migration`. */
  readonly table?: string
  readonly steps: Readonly<Record<string, TableMigration>>
  /** The last migration of the previous release of the service, if that release records them by Kysely's migrator. */
  readonly lastInKysely?: string
}

export interface TableMigration extends Partial<Pick<Migration, 'up'>> {
  /** Adds rows of a demonstration, in development or on request. They are added once, so removed rows stay removed. */
  readonly demo?: Migration['up']
  /** The `COMPATIBILITY` that a release needs to use the tables after it. Default 1: the migration only adds. */
  readonly needs?: number
}

/**
 * Which tables this release can use. It is incremented by the release that stops using a column. A later migration that
 * drops the column names this number in `needs`.
 */
export const COMPATIBILITY = 1

/**
 * The migrations, ordered by name. A released migration never changes. A change is first added, and the old column is
 * dropped a release later (expand, then contract), so that two consecutive releases can use one database.
 */
const MIGRATIONS: Readonly<Record<string, TableMigration>> = {
  '0003_accounts': { up: createAccounts },
  '0004_audit': { up: createAudit },
  '0005_sign_in': { up: createSignInTables },
  '0006_rate_limits': { up: createRateLimits },
  '0008_installation_names': { up: createInstallationNames },
  '0009_admin': { up: addAdminColumn },
  '0010_session_epoch_and_email_source': { up: addSessionEpochAndEmailSource },
  '0011_statistics': { up: createStatistics },
  '0012_attempt_steps': { up: createAttemptSteps },
}

/** All migrations of a service, and the table that records them. */
export function withAppMigrations(
  { table = 'grantkit_migration', steps, lastInKysely = '' }: AppMigrations = { steps: {} },
): Migrations {
  const ordered = Object.entries({ ...MIGRATIONS, ...steps }).sort()
  return { table, steps: Object.fromEntries(ordered), lastInKysely }
}

export type Migrations = Required<AppMigrations>
