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
  /** The `COMPATIBILITY` that a release must have to use the tables after it. Default 1: it only adds. */
  readonly needs?: number
}

/**
 * Which tables this release can use. It grows with the release that no longer needs what a later one takes away, and that
 * later migration names it in `needs`.
 */
export const COMPATIBILITY = 1

/**
 * The history of the tables, by name in order. A migration that was released never changes. What is to change is added
 * first and taken away a release later, so that two neighbouring releases run on one database.
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

/** Once in the life of a database: what was removed of it stays away. */
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
