import { join } from 'node:path'
import { afterAll, beforeAll, describe } from 'vitest'
import { newDatabase } from './postgres-database.ts'
import { type PostgresServer, startPostgres } from './postgres-server.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** The URL of a new and empty database. */
type NewDatabase = () => Promise<string>

/** The same tests on a file of SQLite and on a real Postgres. */
export function onBothDatabases(tests: (newDatabase: NewDatabase) => void): void {
  describe('on SQLite', () => tests(async () => `sqlite:${join(await temporaryFolder(), 'service.sqlite')}`))
  describe('on Postgres', () => {
    let server: PostgresServer
    beforeAll(async () => {
      server = await startPostgres('fsync=off')
    })
    afterAll(() => server.close())
    tests(async () => (await newDatabase(server.url)).url)
  })
}
