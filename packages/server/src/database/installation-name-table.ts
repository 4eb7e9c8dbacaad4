import type { Kysely } from 'kysely'
import { textOf } from './text-column.ts'

/** The names that users give to the installations of their apps. */
export async function createInstallationNames(database: Kysely<unknown>): Promise<void> {
  const text = textOf(database)
  await database.schema
    .createTable('installation_name')
    .addColumn('account', text, (column) => column.notNull())
    .addColumn('installation', text, (column) => column.notNull())
    .addColumn('name', text, (column) => column.notNull())
    .addPrimaryKeyConstraint('installation_name_key', ['account', 'installation'])
    .execute()
}
