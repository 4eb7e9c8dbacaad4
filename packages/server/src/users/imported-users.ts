import type { Selectable } from 'kysely'
import { accountOf } from '../accounts/account-record.ts'
import type { StoredAccount } from '../accounts/accounts.ts'
import { epochAt } from '../accounts/session-epoch.ts'
import { added, type Database, type Rows } from '../database/database.ts'
import { errorsAs503 } from '../database/errors-as-503.ts'
import type { AccountRow } from '../database/tables.ts'
import type { AccountEvent, NoImport } from '../events.ts'
import { insertIdentity } from '../upstream/identity-rows.ts'

/** A user whom the application or the directory has just signed in. */
export interface ImportedUser {
  /** Its id there, which is the id of the account too. */
  readonly sub: string
  readonly claims: Readonly<Record<string, unknown>>
}

/**
 * The accounts of users who are known elsewhere. An e-mail address never identifies one of them: whoever gets the
 * application to accept an address does not get the account of another user.
 */
export interface ImportedUsers {
  /** Adds the account at the first sign-in, and updates its claims at the next ones. @throws OAuthError `temporarily_unavailable` */
  signIn(user: ImportedUser): Promise<StoredAccount | NoImport>
  /** Keeps out a user who has not signed in yet. `false`: the user has an account, or had one. */
  refuse(sub: string): Promise<boolean>
}

/** The `issuer` of the identities that mark these accounts. It is no URL, so no OpenID provider has it. */
const ORIGIN = 'application'

export function importedUsers(database: Database, onEvent: (event: AccountEvent) => void): ImportedUsers {
  return errorsAs503<ImportedUsers>({
    async signIn(user) {
      const known = await update(database, user)
      if (known !== undefined) return known
      if (await added(database, (rows) => insert(rows, user)))
        onEvent({ type: 'account_added', subject: user.sub, by: 'sign_up' })
      // Another request may have added it meanwhile. An address of another account may be the same text as the id.
      return (await update(database, user)) ?? 'taken'
    },
    async refuse(sub) {
      const removed = { email: null, claims: '{}', state: 'removed' } as const
      const isNew = await added(database, (rows) => insertRow(rows, sub, removed))
      if (isNew) onEvent({ type: 'account_removed', subject: sub })
      return isNew
    },
  })
}

async function insertRow(
  rows: Rows,
  id: string,
  values: Pick<Selectable<AccountRow>, 'email' | 'claims' | 'state'>,
): Promise<true> {
  const now = new Date()
  const unverified = { email_source: null, email_since: null, password: '', admin: 0 }
  await rows
    .insertInto('account')
    .values({
      id,
      ...values,
      ...unverified,
      session_epoch: epochAt(now.getTime()),
      added_at: now.toISOString(),
    })
    .execute()
  return true
}

async function insert(rows: Rows, { sub, claims }: ImportedUser): Promise<true> {
  await insertRow(rows, sub, { email: sub, claims: JSON.stringify(withTime(claims)), state: 'active' })
  const identity = { issuer: ORIGIN, identity: sub, subject: sub, shownAs: sub, addedAt: Date.now() }
  await insertIdentity(rows, identity)
  return true
}

/** `undefined`: there is no such account. */
async function update(database: Database, user: ImportedUser): Promise<StoredAccount | NoImport | undefined> {
  const row = await database.selectFrom('account').selectAll().where('id', '=', user.sub).executeTakeFirst()
  if (row === undefined) return undefined
  if (row.state === 'removed') return 'removed'
  if (!(await isImported(database, user.sub))) return 'taken'
  if (row.state === 'disabled') return 'disabled'
  return accountOf({ ...row, claims: await writeClaims(database, row, user) })
}

async function isImported(database: Database, sub: string): Promise<boolean> {
  const identity = await database
    .selectFrom('identity')
    .select('account')
    .where('issuer', '=', ORIGIN)
    .where('subject', '=', sub)
    .executeTakeFirst()
  return identity?.account === sub
}

/** Writes nothing if nothing has changed. @returns the claims */
async function writeClaims(
  database: Database,
  { claims: before }: Selectable<AccountRow>,
  { sub, claims }: ImportedUser,
): Promise<string> {
  const { updated_at } = JSON.parse(before)
  if (JSON.stringify({ updated_at, ...claims }) === JSON.stringify({ updated_at, ...JSON.parse(before) }))
    return before
  const values = { claims: JSON.stringify(withTime(claims)) }
  await database
    .updateTable('account')
    .set(values)
    .where('id', '=', sub)
    .where('state', '=', 'active')
    .execute()
  return values.claims
}

/** `updated_at` of OpenID Connect Core 5.1, which the application need not know. */
function withTime(claims: ImportedUser['claims']): object {
  return { updated_at: Math.floor(Date.now() / 1000), ...claims }
}
