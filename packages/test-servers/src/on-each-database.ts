import { join } from 'node:path'
import { describe } from 'vitest'
import { temporaryFolder } from './temporary-folder.ts'

/** The URL of a new and empty database. */
type NewDatabase = () => Promise<string>

/** Tests of SQL: on a file of SQLite, or on the Postgres that `POSTGRES_URL` names, as at night. */
export function onEachDatabase(tests: (newDatabase: NewDatabase) => void): void {
  const { POSTGRES_URL } = process.env
  if (POSTGRES_URL === undefined)
    describe('on SQLite', () =>
      tests(async () => `sqlite:${join(await temporaryFolder(), 'service.sqlite')}`))
  else
    describe('on Postgres', () =>
      tests(async () => {
        const { newDatabase } = await import('./postgres-database.ts')
        return (await newDatabase(POSTGRES_URL)).url
      }))
}
