import { type Kysely, sql } from 'kysely'
import { type Tables, textOf } from './tables.ts'

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

/**
 * Removes unverified addresses from accounts. Releases up to 0009_admin stored the address that a provider returned at
 * a sign-up, so the owner of the address could not use it.
 *
 * @param email checks only the account with this address
 */
export async function dropUnverifiedAddresses(rows: Kysely<Tables>, email?: string): Promise<void> {
  const signedUp = rows
    .selectFrom('account')
    .select(['id', 'email', 'claims'])
    .where('email_source', 'is', null)
    .where('password', '=', '')
    .whereRef('email', '!=', 'id')
  const found = await (email === undefined ? signedUp : signedUp.where('email', '=', email)).execute()
  for (const { id, email: held, claims } of found) {
    const { email: _, email_verified, ...others } = JSON.parse(claims)
    if (email_verified === true) continue
    const values = { email: id, claims: JSON.stringify(others) }
    // The account may have been removed since it was read.
    await rows.updateTable('account').set(values).where('id', '=', id).where('email', '=', held).execute()
  }
}
