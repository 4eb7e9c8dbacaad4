import { OAuthError } from '@grantkit/core'
import { ERRORS } from '@grantkit/core/errors'
import type { Selectable } from 'kysely'
import type { Config } from '../../config/config.ts'
import type { DirectoryOptions, DirectoryUser, DirectoryUsers, ExternalUsers } from '../../config/users.ts'
import { added, type Database, type Rows } from '../../database/database.ts'
import { errorsAs503 } from '../../database/errors-as-503.ts'
import type { AccountRow } from '../../database/tables.ts'
import type { AccountEvent, NoImport } from '../../events.ts'
import type { AccountRows } from '../account-rows.ts'
import { accountOf, epochAt, type StoredAccount, withClaims } from '../accounts.ts'
import type { ExternalSignIn, ExternalSignInParts } from '../external-sign-in/external-sign-in.ts'
import { insertIdentity } from '../upstream/identities.ts'
import { UserId, userClaims } from '../user-claims.ts'

/** Who the users are, if they are not the accounts of this server. */
export type Users = ExternalUsers | DirectoryUsers

/** @throws Error that names a key that only the accounts of this server have */
export function refuseOtherUsers(users: Users | undefined, config: Config): void {
  if (users === undefined) return
  const { accountsFile, upstreamFile, upstream } = config
  const refused = Object.entries({
    'accountsFile or ACCOUNTS_FILE': accountsFile,
    'upstreamFile or UPSTREAM_FILE': upstreamFile,
    upstream: upstream[0],
  })
  for (const [name, value] of refused)
    if (value !== undefined)
      throw new Error(`${name} must be left out: the users are those of ${whose(users)}`)
}

function whose(users: Users): string {
  return users.kind === 'external' ? `the application at ${users.url}` : 'your directory'
}

/** The accounts as sessions, UserInfo and refreshes see them. */
export function accountsOf(
  users: Users | undefined,
  rows: AccountRows,
  imported: ImportedUsers,
): AccountRows {
  if (users === undefined) return rows
  const accounts = { ...rows, remove: removal(rows, imported) }
  if (users.kind === 'directory') return directoryAccounts(accounts, imported, users.directory)
  const { check, checkSeconds } = users
  if (check === undefined) return accounts
  return checkedAccounts(
    accounts,
    userCheck((sub) => check(sub), checkSeconds),
  )
}

/** Also of a user who has not signed in yet, and may do so at this moment. */
function removal({ remove }: AccountRows, { refuse }: ImportedUsers): AccountRows['remove'] {
  return async (id) => (await remove(id)) || (await refuse(id)) || remove(id)
}

/** Loads the library of signatures only where it is needed. */
export async function externalSignInFor(
  users: Users | undefined,
  parts: ExternalSignInParts,
): Promise<ExternalSignIn | undefined> {
  if (users?.kind !== 'external') return undefined
  const { externalSignInOf } = await import('../external-sign-in/external-sign-in.ts')
  return externalSignInOf(users, parts)
}

const TIMEOUT_MS = 5000

/**
 * The result of a function of the operator. One that comes later is dropped, and so is its error.
 *
 * @throws Error without a result after five seconds, which names the function
 */
async function withinTime<T>(name: string, ask: () => Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`${name} did not respond in time`)), TIMEOUT_MS)
  try {
    return await Promise.race([ask(), promise])
  } finally {
    clearTimeout(timer)
  }
}

/** Whether the application still has a user, remembered for a while. @throws OAuthError `temporarily_unavailable` */
export type UserCheck = (sub: string) => Promise<boolean>

const MAX_KEPT = 10_000

interface Kept {
  readonly answer: Promise<boolean>
  readonly until: number
}

/**
 * Only an answer is remembered. If the application is down, the user is neither gone nor there: the request fails, and
 * the client tries again.
 *
 * @param seconds for which an answer is used again
 */
export function userCheck(check: (sub: string) => Promise<boolean>, seconds: number): UserCheck {
  const kept = new Map<string, Kept>()
  return (sub) => {
    const known = kept.get(sub)
    if (known !== undefined && Date.now() < known.until) return known.answer
    const answer = answerOf(() => check(sub)).catch((cause: unknown) => {
      kept.delete(sub)
      throw new OAuthError(ERRORS.claims_unavailable, undefined, { cause })
    })
    kept.delete(sub)
    kept.set(sub, { answer, until: Date.now() + seconds * 1000 })
    const [oldest] = kept.keys()
    if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest)
    return answer
  }
}

async function answerOf(check: () => Promise<boolean>): Promise<boolean> {
  const known = await withinTime('check', check)
  if (typeof known !== 'boolean') throw new Error(`check must return true or false, not ${typeof known}`)
  return known
}

/** The accounts, without those whom the application no longer has. They are not changed: the user may come back. */
function checkedAccounts(accounts: AccountRows, isThere: UserCheck): AccountRows {
  return {
    ...accounts,
    async find(id) {
      const account = await accounts.find(id)
      return account && (await isThere(id)) ? account : undefined
    },
    async claims(id) {
      const claims = await accounts.claims(id)
      return claims && (await isThere(id)) ? claims : undefined
    },
  }
}

/** The accounts, with passwords and claims from the directory. What the operator does with accounts stays as it is. */
export function directoryAccounts(
  accounts: AccountRows,
  imported: ImportedUsers,
  people: DirectoryOptions,
): AccountRows {
  const claimsOf = async (sub: string) => {
    const user = await callDirectory('find', () => people.find(sub))
    return user && userOf(user).claims
  }
  return {
    ...accounts,
    async verify(login, password) {
      const user = await callDirectory('verifyPassword', () => people.verifyPassword(login, password))
      const account = user && (await imported.signIn(userOf(user)))
      return typeof account === 'string' ? undefined : account
    },
    async find(id) {
      const account = await accounts.find(id)
      const claims = account && (await claimsOf(id))
      return claims && withClaims(account, claims)
    },
    async claims(id) {
      return (await accounts.claims(id)) && claimsOf(id)
    },
  }
}

/** @throws Error for a user without a usable id, which is a fault of the directory and not of the user */
function userOf(user: DirectoryUser): ImportedUser {
  return { sub: UserId.parse(user.sub), claims: userClaims(user) }
}

async function callDirectory<T>(name: keyof DirectoryOptions, work: () => Promise<T>): Promise<T> {
  try {
    return await withinTime(name, work)
  } catch (cause) {
    throw new OAuthError(ERRORS.claims_unavailable, undefined, { cause })
  }
}

/** A user whom the application or the directory has just signed in. */
interface ImportedUser {
  /** Its id there, which is the id of the account too. */
  readonly sub: string
  readonly claims: Readonly<Record<string, unknown>>
}

/** The `issuer` of the identities that mark these accounts. It is no URL, so no OpenID provider has it. */
export const ORIGIN = 'application'

export type ImportedUsers = ReturnType<typeof importedUsers>

/**
 * The accounts of users who are known elsewhere. An e-mail address never identifies one of them: whoever gets the
 * application to accept an address does not get the account of another user.
 */
export function importedUsers(database: Database, onEvent: (event: AccountEvent) => void) {
  return errorsAs503({
    /** Adds the account at the first sign-in, and updates its claims at the next ones. @throws OAuthError `temporarily_unavailable` */
    async signIn(user: ImportedUser): Promise<StoredAccount | NoImport> {
      const known = await update(database, user)
      if (known !== undefined) return known
      if (await added(database, (rows) => insert(rows, user)))
        onEvent({ type: 'account_added', subject: user.sub, by: 'sign_up' })
      // Another request may have added it meanwhile. An address of another account may be the same text as the id.
      return (await update(database, user)) ?? 'taken'
    },
    /** Keeps out a user who has not signed in yet. `false`: the user has an account, or had one. */
    async refuse(sub: string): Promise<boolean> {
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
  const added = { session_epoch: epochAt(now.getTime()), added_at: now.toISOString() }
  const unverified = { email_source: null, email_since: null, password: '', admin: 0 }
  await rows
    .insertInto('account')
    .values({ id, ...values, ...unverified, ...added })
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
