import type { Kysely } from 'kysely'

/** Marks the accounts that may use the operator's view. */
export async function addAdminColumn(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .alterTable('account')
    .addColumn('admin', 'integer', (column) => column.notNull().defaultTo(0))
    .execute()
}
