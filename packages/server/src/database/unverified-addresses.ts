import type { Kysely } from 'kysely'
import type { Tables } from './tables.ts'

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
