import { existsSync } from 'node:fs'
import { Kysely, PostgresDialect, sql, type Transaction } from 'kysely'
import type { Migration } from 'kysely/migration'
import { addAdminColumn, createAccounts, createInstallationNames, createSessions } from './account-tables.ts'
import { createAttemptSteps } from './attempt-steps-table.ts'
import { createAudit } from './audit-table.ts'
import { type Database, openDatabase } from './database.ts'
import type { Password } from './postgres-password.ts'
import { createRateLimits } from './rate-limit-table.ts'
import { addSessionEpochAndEmailSource } from './session-epoch-and-email-source.ts'
import { addProviderOfIdentity, addProviderRoles, createSignInTables } from './sign-in-tables.ts'
import { BUSY_MS } from './sqlite-dialect.ts'
import { createStatistics } from './statistic-table.ts'
import type { Tables } from './tables.ts'

/**
 * Migrates the tables, in one transaction. If several processes start at once, one migrates and the others wait.
 *
 * @param demo whether to add the demo rows that have not been added yet
 * @returns the names of the applied migrations
 * @throws Error if the tables need a newer release, or the role may not change them
 */
export async function migrate(
  database: Database,
  migrations: Migrations = withAppMigrations(),
  demo = false,
): Promise<string[]> {
  const work = (rows: Transaction<Tables>) => migrateIn(rows, migrations, demo)
  const { pool } = database
  const migrating = pool === undefined ? migrateFile(database, work) : migratePostgres(pool, work)
  return migrating.catch((error) => {
    throw explained(error)
  })
}

/**
 * Opens a database for a command, without migrating it.
 *
 * @throws Error if the tables are outdated, or need a newer release
 */
export async function openMigrated(
  url: string,
  onError: (error: Error) => void,
  migrations: Migrations = withAppMigrations(),
  password?: Password,
): Promise<Database> {
  const path = /^sqlite:(.*)$/.exec(url)?.[1]
  // Opening a missing file would create it.
  if (path !== undefined && !existsSync(path)) throw new Error(`${path} has no tables`)
  const database = await openDatabase(url, onError, password)
  try {
    if (url === 'memory:') await migrate(database, migrations)
    const missing = await missingMigrations(database, migrations)
    if (missing.length === Object.keys(migrations.steps).length) throw new Error('it has no tables yet')
    if (missing.length > 0) throw new Error(`it has no tables of this release, by ${missing.join(', ')}`)
    return database
  } catch (error) {
    await database.destroy()
    throw error
  }
}

type Work = (transaction: Transaction<Tables>) => Promise<string[]>

/** SQLite processes wait for each other at every write. */
async function migrateFile(database: Database, work: Work): Promise<string[]> {
  await waitForLocks(database, MIGRATION_MS)
  return database
    .transaction()
    .execute(work)
    .finally(() => waitForLocks(database, BUSY_MS))
}

/** Without the request timeouts of this process and of the connection. */
async function migratePostgres(pool: NonNullable<Database['pool']>, work: Work): Promise<string[]> {
  const patient = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
  return patient.transaction().execute(async (transaction) => {
    await sql`select set_config(name, '0', true) from pg_settings
      where name in ('statement_timeout', 'lock_timeout')`.execute(transaction)
    await sql`select pg_advisory_xact_lock(${sql.lit(KYSELY_LOCK)})`.execute(transaction)
    return work(transaction)
  })
}

/** The lock of Kysely's migrator, which earlier releases use. */
const KYSELY_LOCK = '3853314791062309107'

async function migrateIn(
  transaction: Transaction<Tables>,
  migrations: Migrations,
  demo: boolean,
): Promise<string[]> {
  const missing = await missingMigrations(transaction, migrations)
  for (const name of missing) {
    const { up, demo: rows, needs = 1 } = migrations.steps[name] as TableMigration
    await up?.(transaction)
    await record(transaction, migrations, { name, needs })
    if (rows !== undefined) await record(transaction, migrations, { name: pending(name), needs: 1 })
  }
  if (demo) await addDemoRows(transaction, migrations)
  return missing
}

/** @throws Error if the tables need a newer release */
async function missingMigrations(database: Kysely<Tables>, migrations: Migrations): Promise<string[]> {
  const done = await carriedOut(database, migrations)
  const newer = done.find(({ needs }) => needs > COMPATIBILITY)
  if (newer !== undefined) throw new Error(`its tables need a newer release: ${newer.name} changed them`)
  const names = new Set(done.map(({ name }) => name))
  return Object.keys(migrations.steps).filter((name) => !names.has(name))
}

const MIGRATION_MS = 10_000

async function waitForLocks(database: Database, milliseconds: number): Promise<void> {
  await sql`pragma busy_timeout = ${sql.lit(milliseconds)}`.execute(database)
}

function explained(error: unknown): unknown {
  const { message = '' } = error as { message?: string }
  if (!/\balready exists\b/.test(message)) return error
  return new Error(`${message}, and another program made it: name another database`, { cause: error })
}

/** Adds the demo rows that still wait: the table of migrations has a record of each. A release that added them at once made none. */
async function addDemoRows(rows: Kysely<Tables>, { table, steps }: Migrations): Promise<void> {
  for (const [name, { demo }] of Object.entries(steps)) {
    if (demo === undefined) continue
    const taken = sql`delete from ${sql.table(table)} where name = ${pending(name)}`
    const { numAffectedRows } = await taken.execute(rows)
    if (numAffectedRows) await demo(rows)
  }
}

function pending(name: string): string {
  return `pending ${name}`
}

/** An applied migration. */
interface CarriedOut {
  readonly name: string
  /** The `COMPATIBILITY` that a release needs after it. */
  readonly needs: number
}

type Early = { kysely_migration: { name: string; timestamp: string } }

/**
 * In any order. A newer release may have applied migrations that this one does not know. Earlier releases recorded some
 * in the table of Kysely's migrator.
 *
 * @throws Error if another program uses Kysely's migrator
 */
async function carriedOut(database: Kysely<Tables>, { table, steps }: Migrations): Promise<CarriedOut[]> {
  const tables = await database.introspection.getTables({ withInternalKyselyTables: true })
  const has = (name: string) => tables.some((known) => known.name === name)
  const names = database.withTables<Early>()
  const early = has('kysely_migration')
    ? await names.selectFrom('kysely_migration').select('name').execute()
    : []
  const foreign = early.find(({ name }) => !Object.hasOwn(steps, name))
  if (foreign !== undefined)
    throw new Error(`kysely_migration of another program has ${foreign.name}: name another database`)
  const late = has(table)
    ? await names
        .selectFrom(sql<CarriedOut>`${sql.table(table)}`.as('late'))
        .selectAll()
        .execute()
    : []
  return [...early.map(({ name }) => ({ name, needs: 1 })), ...late]
}

/**
 * Records a migration. What the previous release looks for in the table of Kysely's migrator is recorded there, so that
 * it can start on a database that this release created. The next release records everything in `table`.
 */
async function record(
  database: Kysely<Tables>,
  { table, lastInKysely }: Migrations,
  { name, needs }: CarriedOut,
): Promise<void> {
  if (name <= lastInKysely) return recordInKysely(database, name)
  await database.schema
    .createTable(table)
    .ifNotExists()
    .addColumn('name', 'varchar(255)', (column) => column.notNull().primaryKey())
    .addColumn('needs', 'integer')
    .execute()
  await sql`insert into ${sql.table(table)} (name, needs) values (${name}, ${needs})`.execute(database)
}

async function recordInKysely(database: Kysely<Tables>, name: string): Promise<void> {
  await database.schema
    .createTable('kysely_migration')
    .ifNotExists()
    .addColumn('name', 'varchar(255)', (column) => column.notNull().primaryKey())
    .addColumn('timestamp', 'varchar(255)', (column) => column.notNull())
    .execute()
  const row = { name, timestamp: new Date().toISOString() }
  await database.withTables<Early>().insertInto('kysely_migration').values(row).execute()
}

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
const COMPATIBILITY = 1

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
  '0013_sessions': { up: createSessions },
  '0014_provider_of_identity': { up: addProviderOfIdentity },
  '0015_provider_roles': { up: addProviderRoles },
}

/** All migrations of a service, and the table that records them. */
export function withAppMigrations(
  { table = 'grantkit_migration', steps, lastInKysely = '' }: AppMigrations = { steps: {} },
): Migrations {
  const ordered = Object.entries({ ...MIGRATIONS, ...steps }).sort()
  return { table, steps: Object.fromEntries(ordered), lastInKysely }
}

export type Migrations = Required<AppMigrations>
