import { type Kysely, sql } from 'kysely'
import type { Tables } from './tables.ts'
import { textOf } from './text-column.ts'
import { dropUnverifiedAddresses } from './unverified-addresses.ts'

/** The session epoch, and who verified the e-mail address. An older release adds accounts without them. */
export async function addSessionEpochAndEmailSource(database: Kysely<Tables>): Promise<void> {
  const text = textOf(database)
  const account = () => database.schema.alterTable('account')
  await account()
    .addColumn('session_epoch', 'integer', (column) => column.notNull().defaultTo(0))
    .execute()
  await account().addColumn('email_source', text).execute()
  await account().addColumn('email_since', text).execute()
  // An operator may have set a password for an account that was created through a provider.
  await sql`update account set email_source = 'operator', email_since = added_at
    where email is not null and password <> ''
    and not exists (select 1 from identity where identity.account = account.id)`.execute(database)
  await dropUnverifiedAddresses(database)
}
