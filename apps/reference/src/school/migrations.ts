import { textOf } from '@grantkit/server/database'
import type { Kysely } from 'kysely'
import { demoRows } from './demo-rows.ts'
import type { SchoolTables } from './tables.ts'

/** The migrations of the school. Released ones never change. */
export const SCHOOL_MIGRATIONS = {
  '0001_school': { up: createSchool },
  // Earlier releases added the rows to every database.
  '0002_demo_school': { demo: addDemoSchool },
}

async function createSchool(database: Kysely<unknown>): Promise<void> {
  const text = textOf(database)
  await database.schema
    .createTable('school_record')
    .addColumn('area', text, (column) => column.notNull())
    .addColumn('id', text, (column) => column.notNull())
    .addColumn('content', text, (column) => column.notNull())
    .addColumn('published', 'integer', (column) => column.notNull())
    .addColumn('unique_value', text)
    .addColumn('words', text, (column) => column.notNull())
    .addColumn('revision', 'integer', (column) => column.notNull())
    .addColumn('added_at', text, (column) => column.notNull())
    .addPrimaryKeyConstraint('school_record_key', ['area', 'id'])
    .addUniqueConstraint('school_record_unique', ['area', 'unique_value'])
    .execute()
  await database.schema
    .createIndex('school_record_order')
    .on('school_record')
    .columns(['area', 'added_at', 'id'])
    .execute()
}

async function addDemoSchool(database: Kysely<SchoolTables>): Promise<void> {
  await database
    .insertInto('school_record')
    .values(demoRows())
    .onConflict((row) => row.doNothing())
    .execute()
}
