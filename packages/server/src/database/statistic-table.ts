import type { Kysely } from 'kysely'
import { textOf } from './tables.ts'

/** Counts of events and responses. Its key begins with what every query and every deletion names. */
export async function createStatistics(database: Kysely<unknown>): Promise<void> {
  const text = textOf(database)
  await database.schema
    .createTable('statistic')
    .addColumn('resolution', 'integer', (column) => column.notNull())
    .addColumn('start', 'integer', (column) => column.notNull())
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('label', text, (column) => column.notNull())
    .addColumn('bucket', 'integer', (column) => column.notNull())
    .addColumn('count', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('statistic_key', ['resolution', 'start', 'name', 'label', 'bucket'])
    .execute()
}
