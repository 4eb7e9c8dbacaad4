import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'
import { demoRows } from '../school/demo-rows.ts'
import { addAdminColumn } from './admin-column.ts'
import { createAudit } from './audit-table.ts'
import { createInstallationNames } from './installation-name-table.ts'
import { createRateLimits } from './rate-limit-table.ts'
import { addSessionEpochAndEmailSource } from './session-epoch-and-email-source.ts'
import { createSignInTables } from './sign-in-tables.ts'
import type { Tables } from './tables.ts'
import { textOf } from './text-column.ts'

export interface TableMigration extends Migration {
  /** The `COMPATIBILITY` that a release needs to use the tables after it. Default 1: the migration only adds. */
  readonly needs?: number
}

/**
 * Which tables this release can use. It is incremented by the release that stops using a column. A later migration that
 * drops the column names this number in `needs`.
 */
export const COMPATIBILITY = 1

/**
 * The migrations, ordered by name. A released migration never changes. A change is first added, and the old column is
 * dropped a release later (expand, then contract), so that two consecutive releases can use one database.
 */
export const MIGRATIONS: Readonly<Record<string, TableMigration>> = {
  '0001_school': { up: createSchool },
  '0002_demo_school': { up: addDemoSchool },
  '0003_accounts': { up: createAccounts },
  '0004_audit': { up: createAudit },
  '0005_sign_in': { up: createSignInTables },
  '0006_rate_limits': { up: createRateLimits },
  '0008_installation_names': { up: createInstallationNames },
  '0009_admin': { up: addAdminColumn },
  '0010_session_epoch_and_email_source': { up: addSessionEpochAndEmailSource },
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

/** Runs once per database, so that removed records stay removed. */
async function addDemoSchool(database: Kysely<Tables>): Promise<void> {
  await database.insertInto('school_record').values(demoRows()).execute()
}

async function createAccounts(database: Kysely<unknown>): Promise<void> {
  const text = textOf(database)
  await database.schema
    .createTable('account')
    .addColumn('id', text, (column) => column.notNull().primaryKey())
    .addColumn('email', text, (column) => column.unique())
    .addColumn('claims', text, (column) => column.notNull())
    .addColumn('password', text, (column) => column.notNull())
    .addColumn('state', text, (column) => column.notNull())
    .addColumn('added_at', text, (column) => column.notNull())
    .execute()
}
