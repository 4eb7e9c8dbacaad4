import type { Kysely } from 'kysely'
import { textOf } from './tables.ts'

/** The tables of accounts: each function is a migration. */

export async function createAccounts(database: Kysely<unknown>): Promise<void> {
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

/** Marks the accounts that may use the operator's view. */
export async function addAdminColumn(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .alterTable('account')
    .addColumn('admin', 'integer', (column) => column.notNull().defaultTo(0))
    .execute()
}

/** The browsers in which users are signed in. */
export async function createSessions(database: Kysely<unknown>): Promise<void> {
  const text = textOf(database)
  await database.schema
    .createTable('session')
    .addColumn('id', text, (column) => column.notNull().primaryKey())
    .addColumn('account', text, (column) => column.notNull())
    .addColumn('facts', text, (column) => column.notNull())
    .addColumn('started_at', text, (column) => column.notNull())
    .addColumn('used_at', text, (column) => column.notNull())
    .addColumn('expires_at', text, (column) => column.notNull())
    .execute()
  for (const column of ['account', 'expires_at'])
    await database.schema.createIndex(`session_by_${column}`).on('session').column(column).execute()
}
