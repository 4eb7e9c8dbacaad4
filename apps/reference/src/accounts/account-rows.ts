import { type Selectable, sql, type UpdateObject } from 'kysely'
import { compiledOnce } from '../database/compiled-once.ts'
import { added, type Database, type Rows } from '../database/database.ts'
import { errorsAs503 } from '../database/errors-as-503.ts'
import type { AccountRow, Tables } from '../database/tables.ts'
import { dropUnverifiedAddresses } from '../database/unverified-addresses.ts'
import {
  type Account,
  type Accounts,
  type EmailSource,
  HASH_OF_NO_PASSWORD,
  type StoredAccount,
} from './accounts.ts'
import { passwordMatches } from './passwords.ts'

/**
 * What an operator does with accounts. Each change takes effect at the next request, on every replica. Grants are not
 * changed here: the next refresh revokes the grants of a disabled or removed account. To revoke them at once, the
 * caller revokes them too.
 */
export interface AccountRows extends Accounts {
  /** `false`: an account with this address or id exists already, or existed and was removed. */
  add(account: Account, addition?: Addition): Promise<boolean>
  /**
   * The following methods take the id of an account, and return `false` if it does not exist. All but `setAdmin` end
   * its sessions.
   */
  setPassword(id: string, hash: string): Promise<boolean>
  setDisabled(id: string, disabled: boolean): Promise<boolean>
  /** Whether it may use the operator's view. */
  setAdmin(id: string, admin: boolean): Promise<boolean>
  /** Ends the sessions only. */
  endSessions(id: string, by: 'user' | 'operator'): Promise<boolean>
  /** Keeps only the id, so that it is never reused for another person. */
  remove(id: string): Promise<boolean>
}

interface Addition {
  /** Default: the operator. */
  readonly by?: AddedBy
  /** Default: the operator. */
  readonly emailSource?: EmailSource
  /** Writes related rows in the same transaction. */
  readonly also?: (rows: Rows) => Promise<unknown>
}

/**
 * An account was changed: by a command, by the import of a file, by the first start in development, or by a user whom
 * an OpenID provider verified.
 */
export type AccountEvent =
  | { readonly type: 'account_added'; readonly subject: string; readonly by: AddedBy }
  | { readonly type: 'sessions_ended'; readonly subject: string; readonly by: 'user' | 'operator' }
  | { readonly type: ChangeType; readonly subject: string }

type AddedBy = 'operator' | 'import' | 'demo' | 'sign_up'
type ChangeType =
  | 'account_password_changed'
  | 'account_disabled'
  | 'account_enabled'
  | 'account_admin_added'
  | 'account_admin_removed'
  | 'account_removed'

/** Sessions that began earlier have an earlier epoch. */
export const NEXT_EPOCH = sql<number>`session_epoch + 1`

/** Nothing is cached: an account that was disabled on one replica is disabled on all. */
export function accountRows(database: Database, onEvent: (event: AccountEvent) => void): AccountRows {
  const active = database.selectFrom('account').selectAll().where('state', '=', 'active')
  const change = async (event: AccountEvent, values: Values) => {
    const changed = await changeAccount(database, event.subject, values)
    if (changed) onEvent(event)
    return changed
  }
  const withEmail = (email: string) => active.where('email', '=', addressOf(email)).executeTakeFirst()
  const withId = compiledOnce(database, (id) => active.where('id', '=', id))
  return errorsAs503<AccountRows>({
    async verify(email, password) {
      const row = await withEmail(email)
      const right = await passwordMatches(password, row?.password || HASH_OF_NO_PASSWORD)
      return right && row ? accountOf(row) : undefined
    },
    find: (id) => withId(id).then((row) => row && accountOf(row)),
    idOf: (email) => withEmail(email).then((row) => row?.id),
    claims: (id) => withId(id).then((row) => row && JSON.parse(row.claims)),
    async add(account, { by = 'operator', emailSource = 'operator', also = nothing } = {}) {
      const row = rowOf(account, emailSource, new Date().toISOString())
      const isNew = await added(database, async (rows) => {
        // A replica of the previous release may still add an unverified address during an upgrade.
        if (account.email !== undefined) await dropUnverifiedAddresses(rows, account.email)
        await rows.insertInto('account').values(row).execute()
        await also(rows)
        return true
      })
      if (isNew) onEvent({ type: 'account_added', subject: account.id, by })
      return isNew
    },
    setPassword: (subject, password) =>
      change({ type: 'account_password_changed', subject }, { password, session_epoch: NEXT_EPOCH }),
    setDisabled: (subject, disabled) =>
      change(
        { type: disabled ? 'account_disabled' : 'account_enabled', subject },
        { state: disabled ? 'disabled' : 'active', session_epoch: NEXT_EPOCH },
      ),
    setAdmin: (subject, admin) =>
      change(
        { type: admin ? 'account_admin_added' : 'account_admin_removed', subject },
        { admin: admin ? 1 : 0 },
      ),
    endSessions: (subject, by) =>
      change({ type: 'sessions_ended', subject, by }, { session_epoch: NEXT_EPOCH }),
    async remove(subject) {
      const removed = await database.transaction().execute((rows) => removeAccount(rows, subject))
      if (removed) onEvent({ type: 'account_removed', subject })
      return removed
    },
  })
}

type Values = UpdateObject<Tables, 'account'>

async function nothing(): Promise<void> {}

async function changeAccount(rows: Database | Rows, id: string, values: Values): Promise<boolean> {
  const { numUpdatedRows } = await rows
    .updateTable('account')
    .set(values)
    .where('id', '=', id)
    .where('state', '!=', 'removed')
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

async function removeAccount(rows: Rows, id: string): Promise<boolean> {
  const emptied = { email: null, email_source: null, email_since: null, claims: '{}', password: '', admin: 0 }
  if (!(await changeAccount(rows, id, { ...emptied, state: 'removed' }))) return false
  for (const table of ['passkey', 'identity', 'installation_name'] as const)
    await rows.deleteFrom(table).where('account', '=', id).execute()
  return true
}

/**
 * Locks an account until the transaction ends. `false`: its sessions have ended since it was read, so the requested
 * change is not allowed.
 */
export async function isCurrent(rows: Rows, { id, sessionEpoch }: StoredAccount): Promise<boolean> {
  const { numUpdatedRows } = await rows
    .updateTable('account')
    .set({ session_epoch: sessionEpoch })
    .where('id', '=', id)
    .where('session_epoch', '=', sessionEpoch)
    .where('state', '=', 'active')
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** An address as it is stored. No stored address has a NUL, which Postgres does not accept in a text. */
export function addressOf(email: string): string {
  return email.trim().toLowerCase().replaceAll('\0', ' ')
}

function rowOf({ id, password, ...claims }: Account, source: EmailSource, addedAt: string): AccountRow {
  const { email, email_verified: _, ...others } = claims
  const address =
    email === undefined
      ? { email: id, email_source: null, email_since: null, claims: JSON.stringify(others) }
      : { email, email_source: source, email_since: addedAt, claims: JSON.stringify(claims) }
  return { id, ...address, password, state: 'active', admin: 0, session_epoch: 0, added_at: addedAt }
}

function accountOf(row: Selectable<AccountRow>): StoredAccount {
  const { id, claims, password, session_epoch, email_source } = row
  return {
    id,
    ...{ email_verified: false, ...JSON.parse(claims) },
    password,
    sessionEpoch: session_epoch,
    emailSource: email_source ?? undefined,
  }
}
