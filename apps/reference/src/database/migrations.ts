import { type Kysely, PostgresAdapter, sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { demoRows } from '../school/demo-rows.ts'
import type { Tables } from './tables.ts'

/**
 * The history of the tables, by name in order. A migration that was released never changes: what is to change is a new
 * one, which adds first and takes away a release later, so that two neighbouring releases run on one database.
 */
export const MIGRATIONS: Readonly<Record<string, Migration>> = {
  '0001_school': { up: createSchool },
  '0002_demo_school': { up: addDemoSchool },
  '0003_accounts': { up: createAccounts },
  '0005_passkeys': { up: createPasskeys },
  '0006_identities': { up: createIdentities },
}

/** Compares bytes, as SQLite does: an index of Postgres then outlives an update of the system's languages. */
function textOf(database: Kysely<unknown>) {
  return database.getExecutor().adapter instanceof PostgresAdapter ? sql`text collate "C"` : sql`text`
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

async function createPasskeys(database: Kysely<unknown>): Promise<void> {
  const text = textOf(database)
  await database.schema
    .createTable('passkey')
    .addColumn('id', text, (column) => column.notNull().primaryKey())
    .addColumn('account', text, (column) => column.notNull())
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('public_key', text, (column) => column.notNull())
    .addColumn('counter', 'bigint', (column) => column.notNull())
    .addColumn('transports', text, (column) => column.notNull())
    .addColumn('synced', 'integer', (column) => column.notNull())
    .addColumn('added_at', text, (column) => column.notNull())
    .addColumn('used_at', text)
    .execute()
  await database.schema.createIndex('passkey_account').on('passkey').column('account').execute()
}

async function createIdentities(database: Kysely<unknown>): Promise<void> {
  const text = textOf(database)
  await database.schema
    .createTable('identity')
    .addColumn('issuer', text, (column) => column.notNull())
    .addColumn('subject', text, (column) => column.notNull())
    .addColumn('account', text, (column) => column.notNull())
    .addColumn('shown_as', text, (column) => column.notNull())
    .addColumn('added_at', text, (column) => column.notNull())
    .addPrimaryKeyConstraint('identity_key', ['issuer', 'subject'])
    .execute()
  await database.schema.createIndex('identity_account').on('identity').column('account').execute()
}
