import type { Database, Rows } from '../database/database.ts'
import type { EndSessions } from './session-epoch.ts'

/** `unknown`: it does not exist, or belongs to another account. */
export type Removed = 'removed' | 'unknown' | 'last'

/** A passkey, or an identity at an OpenID provider. */
type SignInMethod = { readonly passkey: string } | { readonly issuer: string; readonly identity: string }

/**
 * Removes a sign-in method, unless it is the last one of an account, and ends all sessions of the account: the method
 * may have started them.
 */
export async function removeMethod(
  database: Database,
  endSessions: EndSessions,
  subject: string,
  method: SignInMethod,
): Promise<Removed> {
  // What is not removed ends no session, so no app is told.
  const refused = await refusal(database, subject, method)
  if (refused !== undefined) return refused
  const remove = (rows: Rows, epoch: object) => removeLocked(rows, epoch, subject, method)
  return endSessions(subject, (epoch) => database.transaction().execute((rows) => remove(rows, epoch)))
}

/** Locks the account, so that the second of two concurrent removals sees the result of the first. */
async function removeLocked(
  rows: Rows,
  epoch: object,
  subject: string,
  method: SignInMethod,
): Promise<Removed> {
  await rows.updateTable('account').set({ id: subject }).where('id', '=', subject).execute()
  const refused = await refusal(rows, subject, method)
  if (refused !== undefined) return refused
  await rows.updateTable('account').set(epoch).where('id', '=', subject).execute()
  if ('passkey' in method) await rows.deleteFrom('passkey').where('id', '=', method.passkey).execute()
  else
    await rows
      .deleteFrom('identity')
      .where('issuer', '=', method.issuer)
      .where('subject', '=', method.identity)
      .execute()
  return 'removed'
}

async function refusal(
  rows: Database | Rows,
  subject: string,
  method: SignInMethod,
): Promise<'unknown' | 'last' | undefined> {
  const account = await rows
    .selectFrom('account')
    .select('password')
    .where('id', '=', subject)
    .executeTakeFirst()
  const passkeys = await rows.selectFrom('passkey').select('id').where('account', '=', subject).execute()
  const identities = await rows
    .selectFrom('identity')
    .select(['issuer', 'subject'])
    .where('account', '=', subject)
    .execute()
  const isThere =
    'passkey' in method
      ? passkeys.some(({ id }) => id === method.passkey)
      : identities.some(
          ({ issuer, subject: identity }) => issuer === method.issuer && identity === method.identity,
        )
  if (!isThere) return 'unknown'
  const others = (account?.password ? 1 : 0) + passkeys.length + identities.length - 1
  return others === 0 ? 'last' : undefined
}
