import type { Selectable } from 'kysely'
import type { Database } from '../database/database.ts'
import { errorsAs503 } from '../database/errors-as-503.ts'
import type { AccountRow } from '../database/tables.ts'
import { addressOf } from './account-rows.ts'
import { type EmailSource, hasPublicPassword } from './accounts.ts'

/** An account, as an operator sees it. */
export interface AccountEntry {
  readonly id: string
  readonly email?: string | undefined
  /** Who verified the address. Absent without an address, and if that is unknown. */
  readonly emailSource?: EmailSource | undefined
  /** ISO 8601, in UTC. */
  readonly emailSince?: string | undefined
  readonly name: string
  readonly state: 'active' | 'disabled'
  /** Whether it may use the operator's view. */
  readonly admin: boolean
  /** `false`: it signs in with passkeys or a provider alone. */
  readonly hasPassword: boolean
  /** ISO 8601, in UTC. */
  readonly addedAt: string
}

interface AccountQuery {
  /** How the e-mail address begins, in any letters; or the id of an account without one. */
  readonly prefix?: string | undefined
  /** The `next` of the page before. */
  readonly after?: string | undefined
}

interface AccountsPage {
  readonly accounts: readonly AccountEntry[]
  /** Where the next page begins. Absent on the last one. */
  readonly next?: string | undefined
}

/** Accounts that are not removed, for operators. One step into an index each. @throws OAuthError `temporarily_unavailable` */
export interface AccountDirectory {
  /** One page, in the order of the addresses. An account without one stands where its id would. */
  page(query: AccountQuery, limit: number): Promise<AccountsPage>
  find(id: string): Promise<AccountEntry | undefined>
  withEmail(email: string): Promise<AccountEntry | undefined>
  /** Whether this user may use the operator's view now. */
  isAdmin(id: string): Promise<boolean>
}

/** @param production an account whose password everybody knows is then no admin */
export function accountDirectory(database: Database, production: boolean): AccountDirectory {
  const rows = database.selectFrom('account').selectAll().where('state', '!=', 'removed')
  const one = async (found: Promise<Selectable<AccountRow> | undefined>) => {
    const row = await found
    return row && entryOf(row)
  }
  return errorsAs503<AccountDirectory>({
    async page({ prefix = '', after = '' }, limit) {
      const begin = addressOf(prefix)
      const found = await rows
        .where('email', '>=', begin)
        .where('email', '<', begin + LAST_SIGN)
        .where('email', '>', addressOf(after))
        .orderBy('email')
        .limit(limit + 1)
        .execute()
      const shown = found.slice(0, limit)
      const accounts = shown.map(entryOf)
      return found.length > limit ? { accounts, next: shown.at(-1)?.email ?? undefined } : { accounts }
    },
    find: (id) => one(rows.where('id', '=', withoutNul(id)).executeTakeFirst()),
    withEmail: (email) =>
      one(rows.where('email', '=', addressOf(email)).whereRef('email', '!=', 'id').executeTakeFirst()),
    async isAdmin(id) {
      const row = await rows.where('id', '=', id).executeTakeFirst()
      if (row?.state !== 'active' || row.admin !== 1) return false
      return !(production && hasPublicPassword(row))
    },
  })
}

/** The last of all characters, in the order of bytes. */
const LAST_SIGN = '\u{10ffff}'

/** Postgres takes no NUL in a text. */
function withoutNul(id: string): string {
  return id.replaceAll('\0', ' ')
}

function entryOf({
  id,
  email,
  email_source,
  email_since,
  claims,
  password,
  state,
  admin,
  added_at,
}: Selectable<AccountRow>): AccountEntry {
  return {
    id,
    email: email === null || email === id ? undefined : email,
    emailSource: email_source ?? undefined,
    emailSince: email_since ?? undefined,
    name: JSON.parse(claims).name,
    state: state === 'disabled' ? 'disabled' : 'active',
    admin: admin === 1,
    hasPassword: password !== '',
    addedAt: added_at,
  }
}
