import { Migrator } from 'kysely/migration'
import type { Database } from './database.ts'
import { MIGRATIONS } from './migrations.ts'

/**
 * Brings the tables up to date, in one transaction. Of processes that start at once, one does it and the others wait.
 *
 * @returns the names of the migrations that were carried out
 * @throws Error that says what to do, when the database is newer or may not be changed
 */
export async function migrate(database: Database): Promise<string[]> {
  const provider = { getMigrations: async () => MIGRATIONS }
  await refuseNewer(database)
  const { error, results = [] } = await new Migrator({ db: database, provider }).migrateToLatest()
  if (error !== undefined)
    throw new Error(
      `The tables of DATABASE_URL could not be brought up to date: ${messageOf(error)}. If this role may not create tables, run "pnpm database migrate" as one that may`,
      { cause: error },
    )
  return results.map(({ migrationName }) => migrationName)
}

/** An older release would write rows that the newer one does not expect. */
async function refuseNewer(database: Database): Promise<void> {
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
