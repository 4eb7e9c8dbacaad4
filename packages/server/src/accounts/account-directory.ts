import type { Selectable } from 'kysely'
import type { Database } from '../database/database.ts'
import { errorsAs503 } from '../database/errors-as-503.ts'
import type { Page } from '../database/lists.ts'
import type { AccountRow } from '../database/tables.ts'
import { type Account, addressOf, type EmailSource } from './accounts.ts'

/** An account, as an operator sees it. */
export interface AccountEntry {
  readonly id: string
  readonly email?: string | undefined
  /** Who verified the address. Absent if the account has no address, or if it is unknown. */
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
  /** The beginning of the e-mail address, in any case; or the id of an account without one. */
  readonly prefix?: string | undefined
  /** The `next` of the previous page. */
  readonly after?: string | undefined
}

export type AccountDirectory = ReturnType<typeof accountDirectory>

/**
 * Accounts that are not removed, for operators. Each query is one index lookup. @throws OAuthError
 * `temporarily_unavailable`
 *
 * @param publiclyKnown an account with the password of one of these is no admin
 */
export function accountDirectory(
  database: Database,
  publiclyKnown: readonly Pick<Account, 'password'>[] = [],
) {
  const rows = database.selectFrom('account').selectAll().where('state', '!=', 'removed')
  const one = async (found: Promise<Selectable<AccountRow> | undefined>) => {
    const row = await found
    return row && entryOf(row)
  }
  return errorsAs503({
    /** One page, ordered by address. An account without an address is ordered by its id. */
    async page({ prefix = '', after = '' }: AccountQuery, limit: number): Promise<Page<AccountEntry>> {
      const begin = addressOf(prefix)
      const found = await rows
        .where('email', '>=', begin)
        .where('email', '<', begin + LAST_SIGN)
        // Not in lower case: the id of an imported user may have capitals.
        .where('email', '>', after)
        .orderBy('email')
        .limit(limit + 1)
        .execute()
      const shown = found.slice(0, limit)
      const items = shown.map(entryOf)
      return found.length > limit ? { items, next: shown.at(-1)?.email ?? undefined } : { items }
    },
    find: (id: string) => one(rows.where('id', '=', id).executeTakeFirst()),
    withEmail: (email: string) =>
      one(rows.where('email', '=', addressOf(email)).whereRef('email', '!=', 'id').executeTakeFirst()),
    /** Whether this user may use the operator's view now. */
    async isAdmin(id: string): Promise<boolean> {
      const row = await rows.where('id', '=', id).executeTakeFirst()
      if (row?.state !== 'active' || row.admin !== 1) return false
      return !publiclyKnown.some(({ password }) => password === row.password)
    },
  })
}

/** The last character in byte order. */
const LAST_SIGN = '\u{10ffff}'

function entryOf(row: Selectable<AccountRow>): AccountEntry {
  const { id, email_since, claims, password, state, admin, added_at } = row
  return {
    id,
    ...addressOfRow(row),
    emailSince: email_since ?? undefined,
    name: JSON.parse(claims).name,
    state: state === 'disabled' ? 'disabled' : 'active',
    admin: admin === 1,
    hasPassword: password !== '',
    addedAt: added_at,
  }
}

/** The address of an imported user is a claim alone. */
function addressOfRow({
  id,
  email,
  email_source,
  claims,
}: Selectable<AccountRow>): Pick<AccountEntry, 'email' | 'emailSource'> {
  if (email !== null && email !== id) return { email, emailSource: email_source ?? undefined }
  const { email: claimed, email_verified } = JSON.parse(claims)
  const verified = email_verified === true
  return { email: verified ? claimed : undefined, emailSource: verified ? 'application' : undefined }
}
