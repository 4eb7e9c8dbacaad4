import { displayText } from '@grantkit/core/internal'
import type { Selectable } from 'kysely'
import type { StoredAccount } from '../accounts/accounts.ts'
import { isCurrent } from '../accounts/session-epoch.ts'
import { added, type Database, type Rows } from '../database/database.ts'
import { errorsAs503 } from '../database/errors-as-503.ts'
import type { IdentityRow } from '../database/tables.ts'

/** An identity at a provider that is linked to an account. */
export interface LinkedIdentity {
  readonly issuer: string
  /** The `sub` of the user at the provider. */
  readonly identity: string
  /** The id of the account. */
  readonly subject: string
  /** The label for the user: the address that the provider had verified when it was linked, or its `sub`. */
  readonly shownAs: string
  /** Epoch milliseconds. */
  readonly addedAt: number
}

/** @throws OAuthError `temporarily_unavailable` */
export interface IdentityRows {
  find(issuer: string, identity: string): Promise<LinkedIdentity | undefined>
  /** The oldest first. */
  list(subject: string): Promise<readonly LinkedIdentity[]>
  /** `false`: the identity is linked already, or the sessions of its account have ended since the account was read. */
  add(identity: LinkedIdentity, account: StoredAccount): Promise<boolean>
  /** The same. `false` also if the account has an identity of this issuer. */
  addFirst(identity: LinkedIdentity, account: StoredAccount): Promise<boolean>
}

export function identityRows(database: Database): IdentityRows {
  const rows = database.selectFrom('identity').selectAll()
  return errorsAs503<IdentityRows>({
    async find(issuer, identity) {
      const row = await rows.where('issuer', '=', issuer).where('subject', '=', identity).executeTakeFirst()
      return row && identityOf(row)
    },
    async list(subject) {
      const found = await rows.where('account', '=', subject).orderBy('added_at').orderBy('issuer').execute()
      return found.map(identityOf)
    },
    add: (identity, account) =>
      added(database, async (rows) => {
        if (!(await isCurrent(rows, account))) return false
        await insertIdentity(rows, identity)
        return true
      }),
    addFirst: (identity, account) =>
      added(database, async (rows) => {
        // It locks the account, so that of two persons one is the first.
        if (!(await isCurrent(rows, account))) return false
        const ofIssuer = rows.selectFrom('identity').select('subject').where('issuer', '=', identity.issuer)
        if (await ofIssuer.where('account', '=', account.id).executeTakeFirst()) return false
        await insertIdentity(rows, identity)
        return true
      }),
  })
}

/** A subject may be any text, and an address has up to 254 characters. Here it is a name for pages. */
export function subjectAsName(subject: string): string {
  return displayText(subject.slice(0, 254)) || 'without a name'
}

export async function insertIdentity(rows: Rows, linked: LinkedIdentity): Promise<void> {
  const { issuer, identity, subject, shownAs, addedAt } = linked
  const added_at = new Date(addedAt).toISOString()
  const row = { issuer, subject: identity, account: subject, shown_as: subjectAsName(shownAs), added_at }
  await rows.insertInto('identity').values(row).execute()
}

function identityOf({
  issuer,
  subject,
  account,
  shown_as,
  added_at,
}: Selectable<IdentityRow>): LinkedIdentity {
  return { issuer, identity: subject, subject: account, shownAs: shown_as, addedAt: Date.parse(added_at) }
}
