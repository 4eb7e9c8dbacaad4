import { existsSync } from 'node:fs'
import { Kysely, PostgresDialect, sql, type Transaction } from 'kysely'
import { type Database, openDatabase } from './database.ts'
import {
  COMPATIBILITY,
  type Migrations,
  type TableMigration,
  UPGRADED,
  withAppMigrations,
} from './migrations.ts'
import type { Password } from './postgres-password.ts'
import { BUSY_MS } from './sqlite-dialect.ts'
import type { Tables } from './tables.ts'

/**
 * Migrates the tables, in one transaction. If several processes start at once, one migrates and the others wait.
 *
 * @param demo whether to add the demo rows that have not been added yet
 * @returns the names of the applied migrations
 * @throws Error if the tables need a newer release, or the previous one first, or the role may not change them
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

/** The lock of Kysely's migrator, which the previous release uses. */
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

/** @throws Error if the tables need a newer release, or the previous one first */
async function missingMigrations(database: Kysely<Tables>, migrations: Migrations): Promise<string[]> {
  const done = await carriedOut(database, migrations)
  const newer = done.find(({ needs }) => needs > COMPATIBILITY)
  if (newer !== undefined) throw new Error(`its tables need a newer release: ${newer.name} changed them`)
  const names = new Set(done.map(({ name }) => name))
  if (names.has(UPGRADED.tables) && !names.has(UPGRADED.by))
    throw new Error(`its tables lack ${UPGRADED.by}: start the release before this one on it first`)
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

type Early = { kysely_migration: { name: string } }

/**
 * In any order. A newer release may have applied migrations that this one does not know. The previous release recorded
 * some in the table of Kysely's migrator.
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

async function record(
  database: Kysely<Tables>,
  { table }: Migrations,
  { name, needs }: CarriedOut,
): Promise<void> {
  await database.schema
    .createTable(table)
    .ifNotExists()
    .addColumn('name', 'varchar(255)', (column) => column.notNull().primaryKey())
    .addColumn('needs', 'integer')
    .execute()
  await sql`insert into ${sql.table(table)} (name, needs) values (${name}, ${needs})`.execute(database)
}
