import { Kysely, PostgresAdapter, PostgresDialect, sql, type Transaction } from 'kysely'
import { type MigrationResultSet, Migrator } from 'kysely/migration'
import type { Database } from './database.ts'
import { MIGRATIONS } from './migrations.ts'
import { BUSY_MS } from './sqlite-dialect.ts'
import type { Tables } from './tables.ts'

/**
 * Brings the tables up to date, in one transaction. Of processes that start at once, one does it and the others wait.
 *
 * @returns the names of the migrations that were carried out
 * @throws Error that says what to do, when the database is newer or may not be changed
 */
export async function migrate(database: Database): Promise<string[]> {
  const { results = [] } = await patiently(database, (transaction) => migrateIn(transaction))
  return results.map(({ migrationName }) => migrationName)
}

async function migrateIn(transaction: Transaction<Tables>): Promise<MigrationResultSet> {
  await refuseNewer(transaction)
  const provider = { getMigrations: async () => MIGRATIONS }
  const done = await new Migrator({ db: transaction, provider }).migrateToLatest()
  if (done.error === undefined) return done
  throw new Error(
    `The tables of DATABASE_URL could not be brought up to date: ${messageOf(done.error)}. If this role may not create tables, run "pnpm database migrate" as one that may`,
    { cause: done.error },
  )
}

/** A migration may wait for that of another process, and take its time. */
async function patiently<T>(
  database: Database,
  work: (transaction: Transaction<Tables>) => Promise<T>,
): Promise<T> {
  const { pool } = database
  if (pool !== undefined)
    return new Kysely<Tables>({ dialect: new LockedPostgres({ pool }) })
      .transaction()
      .execute(async (transaction) => {
        await sql`select pg_advisory_xact_lock(${sql.lit(KYSELY_LOCK)})`.execute(transaction)
        return work(transaction)
      })
  await waitForLocks(database, MIGRATION_MS)
  return database
    .transaction()
    .execute(work)
    .finally(() => waitForLocks(database, BUSY_MS))
}

const MIGRATION_MS = 10_000

async function waitForLocks(database: Database, milliseconds: number): Promise<void> {
  await sql`pragma busy_timeout = ${sql.lit(milliseconds)}`.execute(database)
}

/** That of Kysely, which earlier releases take. */
const KYSELY_LOCK = '3853314791062309107'

/**
 * Takes no lock of its own: that of Kysely belongs to a session, which a PgBouncer in transaction mode shares among its
 * clients, and would be held by nobody for ever.
 */
class LockedPostgres extends PostgresDialect {
  override createAdapter(): PostgresAdapter {
    return Object.assign(new PostgresAdapter(), {
      acquireMigrationLock: nothing,
      releaseMigrationLock: nothing,
    })
  }
}

async function nothing(): Promise<void> {}

/** An older release would write rows that the newer one does not expect. */
async function refuseNewer(database: Transaction<Tables>): Promise<void> {
  const tables = await database.introspection.getTables({ withInternalKyselyTables: true })
  if (!tables.some(({ name }) => name === 'kysely_migration')) return
  const done = await database.withTables<Done>().selectFrom('kysely_migration').select('name').execute()
  const [unknown] = done.map(({ name }) => name).filter((name) => !Object.hasOwn(MIGRATIONS, name))
  if (unknown !== undefined)
    throw new Error(
      `The tables of DATABASE_URL are of a newer release, which made ${unknown}. Start that release ("git pull", then "pnpm start"), or name another database`,
    )
}

type Done = { kysely_migration: { name: string } }

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
