import type { Selectable } from 'kysely'
import { compiledOnce } from '../database/compiled-once.ts'
import { added, type Database } from '../database/database.ts'
import { errorsAs503 } from '../database/errors-as-503.ts'
import type { AccountRow } from '../database/tables.ts'
import { type Account, type Accounts, NOBODY } from './accounts.ts'
import { passwordMatches } from './passwords.ts'

/**
 * What an operator does with accounts. Each takes effect at the next request, on every replica. Grants are not here: the
 * next refresh ends those of an account that is disabled or removed, and whoever wants them gone at once ends them too.
 */
export interface AccountRows extends Accounts {
  /** `false`: the address or the id has an account already, or had one that was removed. */
  add(account: Account, by?: AddedBy): Promise<boolean>
  /** These take the address of an account, and return its id, or `undefined` if there is none. */
  setPassword(email: string, hash: string): Promise<string | undefined>
  setDisabled(email: string, disabled: boolean): Promise<string | undefined>
  /** Whether it may use the operator's view. */
  setAdmin(email: string, admin: boolean): Promise<string | undefined>
  /** Keeps nothing but the id, so that it never passes to another person. */
  remove(email: string): Promise<string | undefined>
}

/** An account was changed: by a command, by the import of a file, by the first start of a development, or
 * by somebody whom a provider vouches for. */
export type AccountEvent =
  | { readonly type: 'account_added'; readonly subject: string; readonly by: AddedBy }
  | { readonly type: ChangeType; readonly subject: string }

type AddedBy = 'operator' | 'import' | 'demo' | 'sign_up'
type ChangeType =
  | 'account_password_changed'
  | 'account_disabled'
  | 'account_enabled'
  | 'account_admin_added'
  | 'account_admin_removed'
  | 'account_removed'

/** Nothing is cached: an account that was disabled on one replica is disabled on all. */
export function accountRows(database: Database, onEvent: (event: AccountEvent) => void): AccountRows {
  const active = database.selectFrom('account').selectAll().where('state', '=', 'active')
  const change = async (type: ChangeType, email: string, values: Partial<AccountRow>) => {
    const changed = await database
      .updateTable('account')
      .set(values)
      .where('email', '=', addressOf(email))
      .where('state', '!=', 'removed')
      .returning('id')
      .executeTakeFirst()
    if (changed) onEvent({ type, subject: changed.id })
    return changed?.id
  }
  const withEmail = (email: string) => active.where('email', '=', addressOf(email)).executeTakeFirst()
  const withId = compiledOnce(database, (id) => active.where('id', '=', id))
  return errorsAs503<AccountRows>({
    async verify(email, password) {
      const row = await withEmail(email)
      const right = await passwordMatches(password, row?.password || NOBODY)
      return right && row ? accountOf(row) : undefined
    },
    find: (id) => withId(id).then((row) => row && accountOf(row)),
    idOf: (email) => withEmail(email).then((row) => row?.id),
    claims: (id) => withId(id).then((row) => row && JSON.parse(row.claims)),
    async add(account, by = 'operator') {
      if (!(await added(database.insertInto('account').values(rowOf(account, new Date()))))) return false
      onEvent({ type: 'account_added', subject: account.id, by })
      return true
    },
    setPassword: (email, password) => change('account_password_changed', email, { password }),
    setDisabled: (email, disabled) =>
      disabled
        ? change('account_disabled', email, { state: 'disabled' })
        : change('account_enabled', email, { state: 'active' }),
    setAdmin: (email, admin) =>
      admin
        ? change('account_admin_added', email, { admin: 1 })
        : change('account_admin_removed', email, { admin: 0 }),
    async remove(email) {
      const nothing = { email: null, claims: '{}', password: '', state: 'removed', admin: 0 } as const
      const id = await change('account_removed', email, nothing)
      if (id === undefined) return undefined
      await database.deleteFrom('passkey').where('account', '=', id).execute()
      await database.deleteFrom('identity').where('account', '=', id).execute()
      await database.deleteFrom('installation_name').where('account', '=', id).execute()
      return id
    },
  })
}

/** An address as rows have it. None has a NUL, and Postgres takes none in a text. */
export function addressOf(email: string): string {
  return email.trim().toLowerCase().replaceAll('\0', ' ')
}

function rowOf({ id, password, ...claims }: Account, addedAt: Date): AccountRow {
  const [added_at, state] = [addedAt.toISOString(), 'active'] as const
  return { id, email: claims.email, claims: JSON.stringify(claims), password, state, admin: 0, added_at }
}

function accountOf({ id, claims, password }: Selectable<AccountRow>): Account {
  return { id, ...JSON.parse(claims), password }
}
