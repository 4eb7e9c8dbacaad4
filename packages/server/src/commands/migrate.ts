import { defineCommand } from 'citty'
import type { LoadService } from '../configured-service.ts'
import { fail } from './terminal.ts'

/** Migrates the tables before a start does, for example with a database role that may change them. */
export const migrate = (load: LoadService) =>
  defineCommand({
    meta: {
      description:
        'Brings the tables of DATABASE_URL and of STORE_URL up to date. A start does it too, if its role may.',
    },
    run: () => migrateTables(load).catch((error) => fail(error, 'Not migrated.')),
  })

async function migrateTables(load: LoadService): Promise<void> {
  const { config, definition } = await load()
  const { openStorage } = await import('../storage.ts')
  const onMigrated = (done: readonly string[]) =>
    console.log(done.length === 0 ? 'The tables were up to date.' : `Carried out: ${done.join(', ')}.`)
  const storage = await openStorage(config, console.error, { definition, onMigrated })
  await storage.close()
}
