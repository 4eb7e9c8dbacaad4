import { join } from 'node:path'
import { type PostgresServer, startPostgres } from '@grantkit/test-servers/postgres-server'
import { afterAll, beforeAll, describe, onTestFinished } from 'vitest'
import { type Database, openDatabase } from '../src/database/database.ts'
import { migrate } from '../src/database/migrate.ts'
import { newDatabase } from './postgres-database.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** The URL of a new and empty database. */
type NewDatabase = () => Promise<string>

/** The same tests on a file of SQLite and on a real Postgres. */
export function onBothDatabases(tests: (newDatabase: NewDatabase) => void): void {
  describe('on SQLite', () => tests(async () => `sqlite:${join(await temporaryFolder(), 'service.sqlite')}`))
  describe('on Postgres', () => {
    let server: PostgresServer
    beforeAll(async () => {
      server = await startPostgres()
    })
    afterAll(() => server.close())
    tests(async () => (await newDatabase(server.url)).url)
  })
}

/** A connection for the current test, to a database whose tables are up to date. */
export async function connected(url: string): Promise<Database> {
  const database = await openDatabase(url, () => {})
  onTestFinished(() => database.destroy())
  await migrate(database)
  return database
}
