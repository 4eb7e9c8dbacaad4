import { onTestFinished } from 'vitest'
import { type Database, openDatabase } from '../src/database/database.ts'
import { migrate } from '../src/database/migrate.ts'

/** A connection for the current test, to a database whose tables are up to date. */
export async function connected(url: string): Promise<Database> {
  const database = await openDatabase(url, () => {})
  onTestFinished(() => database.destroy())
  await migrate(database)
  return database
}

const TABLES = ['account', 'attempt_steps', 'identity', 'installation_name', 'passkey', 'session'] as const

/** Databases of Postgres, by what created them. */
const created = new Map<() => Promise<string>, string>()

/**
 * A database without accounts, for the current test. A file of SQLite is new; on Postgres all tests of a block have one,
 * because its creation takes longer than a test.
 */
export async function withoutAccounts(newDatabase: () => Promise<string>) {
  const url = created.get(newDatabase) ?? (await newDatabase())
  const database = await connected(url)
  if (!url.startsWith('sqlite:')) created.set(newDatabase, url)
  for (const table of TABLES) await database.deleteFrom(table).execute()
  return { url, database }
}
