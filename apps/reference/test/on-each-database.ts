import { type Database, openDatabase } from '@grantkit/server/internal/database/database'
import { migrate } from '@grantkit/server/internal/database/migrate'
import { withAppMigrations } from '@grantkit/server/internal/database/migrations'
import { onTestFinished } from 'vitest'
import { SCHOOL } from '../src/service.ts'

export { onEachDatabase } from '@grantkit/test-servers/on-each-database'

/** A connection for the current test, to a database whose tables are up to date, with the demo school. */
export async function connected(url: string): Promise<Database> {
  const database = await openDatabase(url, () => {})
  onTestFinished(() => database.destroy())
  await migrate(database, withAppMigrations(SCHOOL.migrations), true)
  return database
}
