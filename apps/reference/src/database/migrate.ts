import { Kysely, type LogEvent, PostgresAdapter, PostgresDialect, sql } from 'kysely'
import { type MigrationResult, Migrator } from 'kysely/migration'
import type { Pool } from 'pg'
import type { Database } from './database.ts'
import { MIGRATIONS } from './migrations.ts'
import { BUSY_MS } from './sqlite-dialect.ts'
import type { Tables } from './tables.ts'

/**
 * Brings the tables up to date, in one transaction. Of processes that start at once, one does it and the others wait.
 *
 * @returns the names of the migrations that were carried out
 * @throws Error that says why, when the database is newer or may not be changed
 */
export async function migrate(database: Database): Promise<string[]> {
  const { pool } = database
  const results = await (pool === undefined ? migrateFile(database) : migratePostgres(pool))
  return results.map(({ migrationName }) => migrationName)
}

/** The processes wait for each other by themselves, at every write. */
async function migrateFile(database: Database): Promise<readonly MigrationResult[]> {
  await waitForLocks(database, MIGRATION_MS)
  return migrateWith(database).finally(() => waitForLocks(database, BUSY_MS))
}

/** Without the time limits of requests. */
async function migratePostgres(pool: Pool): Promise<readonly MigrationResult[]> {
  let first: unknown
  // After the first error, Postgres says only that there was one.
  const log = (event: LogEvent) => {
    if (event.level === 'error') first ??= event.error
  }
  const patient = new Kysely<Tables>({ dialect: new UnlockedPostgres({ pool }), log })
  const migrating = patient.transaction().execute(async (transaction) => {
    await sql`select pg_advisory_xact_lock(${sql.lit(KYSELY_LOCK)})`.execute(transaction)
    return migrateWith(transaction)
  })
  return migrating.catch((error) => {
    throw explained(first ?? error)
  })
}

async function migrateWith(database: Kysely<Tables>): Promise<readonly MigrationResult[]> {
  await refuseNewer(database)
  const provider = { getMigrations: async () => MIGRATIONS }
  const { error, results = [] } = await new Migrator({ db: database, provider }).migrateToLatest()
  if (error !== undefined) throw explained(error)
  return results
}

/** That of Kysely, which earlier releases take. */
const KYSELY_LOCK = '3853314791062309107'

/**
 * Takes no lock. That of Kysely belongs to a session, which a PgBouncer in transaction mode gives to other clients: it
 * would be held by nobody, for ever.
 */
class UnlockedPostgres extends PostgresDialect {
  override createAdapter(): PostgresAdapter {
    return Object.assign(new PostgresAdapter(), {
      acquireMigrationLock: nothing,
      releaseMigrationLock: nothing,
    })
  }
}

async function nothing(): Promise<void> {}

const MIGRATION_MS = 10_000

async function waitForLocks(database: Database, milliseconds: number): Promise<void> {
  await sql`pragma busy_timeout = ${sql.lit(milliseconds)}`.execute(database)
}

/** An older release would write rows that the newer one does not expect. */
async function refuseNewer(database: Kysely<Tables>): Promise<void> {
  const tables = await database.introspection.getTables({ withInternalKyselyTables: true })
  if (!tables.some(({ name }) => name === 'kysely_migration')) return
  const done = await database.withTables<Done>().selectFrom('kysely_migration').select('name').execute()
  const [unknown] = done.map(({ name }) => name).filter((name) => !Object.hasOwn(MIGRATIONS, name))
  if (unknown !== undefined) throw new Error(`its tables are of a newer release, which made ${unknown}`)
}

type Done = { kysely_migration: { name: string } }

function explained(error: unknown): unknown {
  const { message = '' } = error as { message?: string }
  if (!/\balready exists\b/.test(message)) return error
  return new Error(`${message}, and another program made it: name another database`, { cause: error })
}
