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
