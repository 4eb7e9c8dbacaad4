import type { Kysely } from 'kysely'
import { textOf } from './tables.ts'

/** The tables of sign-in methods other than passwords. */
export async function createSignInTables(database: Kysely<unknown>): Promise<void> {
  await createPasskeys(database)
  await createIdentities(database)
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

/** The provider of an identity: providers may share an issuer, and the issuer in a token may be another one than the configured. */
export async function addProviderOfIdentity(database: Kysely<unknown>): Promise<void> {
  await database.schema.alterTable('identity').addColumn('provider', textOf(database)).execute()
}

/** The roles that providers give to an account. */
export async function addProviderRoles(database: Kysely<unknown>): Promise<void> {
  await database.schema.alterTable('account').addColumn('provider_roles', textOf(database)).execute()
}
