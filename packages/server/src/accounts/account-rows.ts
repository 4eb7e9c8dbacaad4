import { sql } from 'kysely'
import { removeAttempts } from '../attempts/recording.ts'
import { added, type Database, lookup, type Rows } from '../database/database.ts'
import { errorsAs503 } from '../database/errors-as-503.ts'
import type { AccountEvent, AddedBy, SignedOut } from '../events.ts'
import {
  type Account,
  type AccountCondition,
  type Accounts,
  type AccountValues,
  accountOf,
  addressOf,
  changeAccount,
  type EmailSource,
  epochAt,
  rowOf,
  type StoredAccount,
} from './accounts.ts'
import {
  HASH_OF_NO_PASSWORD,
  hashPassword,
  isOutdated,
  type PasswordSecrets,
  passwordMatches,
} from './password-hashes.ts'
import type { PasswordChecks } from './passwords.ts'
import { dropRoles, type GivenRoles, lastRoles, withRoles } from './provider-roles.ts'
import {
  type ChangeAndEnd,
  type ResetBy,
  type SessionsEnding,
  sessionEnds,
  type UserSessions,
} from './sessions.ts'

/**
 * What an operator does with accounts. Each change takes effect at the next request, on every replica. Grants are not
 * changed here: the next refresh revokes the grants of a disabled or removed account. To revoke them at once, the
 * caller revokes them too.
 */
export interface AccountRows extends Accounts {
  readonly sessions: UserSessions
  /** `false`: an account with this address or id exists already, or existed and was removed. */
  add(account: Account, addition?: Addition): Promise<boolean>
  /**
   * The following methods take the id of an account, and return `false` if it does not exist. A change ends its
   * sessions, of which apps are told first.
   */
  setPassword(id: string, hash: string): Promise<boolean>
  /**
   * Sets the password of an account as it was read, and ends its sessions. Of two concurrent changes one succeeds.
   *
   * @returns the account as it is now; `undefined` if its sessions have ended since it was read, as with a new password
   */
  changePassword(
    account: StoredAccount,
    hash: string,
    by: 'user' | 'mail',
  ): Promise<StoredAccount | undefined>
  /** Replaces the hash of the same password, and ends no session. `false`: the account has another one by now. */
  replaceHash(account: StoredAccount, hash: string): Promise<boolean>
  /** Repeated, it changes nothing. */
  setDisabled(id: string, disabled: boolean): Promise<boolean>
  /** Whether it may use the operator's view. Repeated, it changes nothing. */
  setAdmin(id: string, admin: boolean): Promise<boolean>
  /** Its roles, also those of providers that have lapsed: who needs a passkey needs it without a sign-in there too. */
  lastRoles(id: string, now?: GivenRoles): Promise<readonly unknown[]>
  /** Ends the sessions only. */
  endSessions(id: string, by: 'user' | 'operator'): Promise<boolean>
  /**
   * The same by the user, for an account as it was read.
   *
   * @param also in the same transaction; if it returns `false`, nothing changes, but apps were told: check before what can be known
   * @returns as {@link changePassword}
   */
  endSessionsOf(
    account: StoredAccount,
    also?: (rows: Rows) => Promise<boolean>,
  ): Promise<StoredAccount | undefined>
  /** Ends the sessions of all accounts, also those that a restored database does not know. Repeated, it tells apps again. */
  endAllSessions(): Promise<void>
  /** Keeps only the id, so that it is never reused for another person. */
  remove(id: string): Promise<boolean>
  /** Removes a passkey, unless it is the last way to sign in. @param keepsOne unless it is the last passkey */
  removePasskey(id: string, passkey: string, keepsOne?: boolean): Promise<Removed>
  /** Removes an identity at an OpenID provider, unless it is the last way to sign in. */
  removeIdentity(id: string, issuer: string, identity: string): Promise<Removed>
}

interface Addition {
  /** Default: the operator. */
  readonly by?: AddedBy
  /** Default: the operator. */
  readonly emailSource?: EmailSource
  /** Writes related rows in the same transaction. */
  readonly also?: (rows: Rows) => Promise<unknown>
}

type OfAccount = AccountEvent & { readonly subject: string }

/**
 * Nothing is cached: an account that was disabled on one replica is disabled on all.
 *
 * @param sessionsEnding default: no app is told
 * @param onError called when expired sessions could not be deleted
 */
export function accountRows(
  database: Database,
  onEvent: (event: AccountEvent | SignedOut) => void,
  sessionsEnding: SessionsEnding = nothing,
  onError: (error: unknown) => void = () => {},
  secrets: PasswordSecrets = {},
): AccountRows {
  const { sessions, endAll, expireAll, tellAll } = sessionEnds(database, onEvent, sessionsEnding, onError)
  const rows = database.selectFrom('account').where('state', '=', sql.lit('active'))
  const active = rows.selectAll()
  const change = async (event: OfAccount, values: AccountValues, resetBy?: ResetBy) => {
    const changed = await endAll(event.subject, (end) => end(values), resetBy)
    if (changed) onEvent(event)
    return changed
  }
  /** @param differs whether the account is not as the change would make it */
  const set = async (
    event: OfAccount,
    differs: AccountCondition,
    values: AccountValues,
    apply: ChangeAndEnd = (...of) => changeAccount(database, event.subject, ...of),
  ) => {
    const changed = await apply(values, differs)
    if (changed) onEvent(event)
    return changed || isPresent(database, event.subject)
  }
  /** Repeated, it ends no session, so no app is told: only what an outage after the first time has left. */
  const setAndEnd = async (event: OfAccount, differs: AccountCondition, values: AccountValues) => {
    const { subject } = event
    if (await isPresent(database, subject, differs))
      return set(event, differs, values, (...of) => endAll(subject, (end) => end(...of)))
    await sessionsEnding({ subject, sessionIds: [], all: true })
    return isPresent(database, subject)
  }
  /** Ends the sessions of an account as it was read. What changes nothing ends no session, so no app is told. */
  const endOf = async (
    account: StoredAccount,
    change: (end: ChangeAndEnd, rows: Rows) => Promise<boolean>,
    resetBy?: ResetBy,
  ): Promise<StoredAccount | undefined> => {
    const { id, sessionEpoch } = account
    // Not its hash, which a sign-in may replace meanwhile: a new password has the next epoch.
    const asRead: AccountCondition = (row) => row.and({ state: 'active', session_epoch: sessionEpoch })
    if (!(await isPresent(database, id, asRead))) return undefined
    const changed = await endAll(id, (end, rows) => change((values) => end(values, asRead), rows), resetBy)
    return changed ? { ...account, sessionEpoch: sessionEpoch + 1 } : undefined
  }
  /** The method may have started any session of the account. */
  const removeMethod = async (subject: string, method: SignInMethod): Promise<Removed> =>
    // What is not removed ends no session, so no app gets a logout token.
    (await refusal(database, subject, method)) ??
    endAll(subject, (end, rows) => removeLocked(rows, end, subject, method))
  const withEmail = (email: string) => active.where('email', '=', addressOf(email)).executeTakeFirst()
  // Every request of a browser, every refresh and every UserInfo request reads one of them.
  const withId = lookup(database, active.where('id', '=', ''))
  const claimsOf = lookup(database, rows.select(['claims', 'provider_roles']).where('id', '=', ''))
  const methods = errorsAs503<Omit<AccountRows, 'sessions'>>({
    async verify(email, password) {
      const row = await withEmail(email)
      const right = await passwordMatches(password, row?.password || HASH_OF_NO_PASSWORD, secrets)
      return right && row ? accountOf(row) : undefined
    },
    find: (id) => withId(id).then((row) => row && accountOf(row)),
    idOf: (email) => withEmail(email).then((row) => row?.id),
    claims: (id) => claimsOf(id).then((row) => row && withRoles(JSON.parse(row.claims), row.provider_roles)),
    lastRoles: (id, now) =>
      claimsOf(id).then((row) => (row ? lastRoles(JSON.parse(row.claims), row.provider_roles, now) : [])),
    async add(account, { by = 'operator', emailSource = 'operator', also = nothing } = {}) {
      const isNew = await added(database, async (rows) => {
        await insertAccount(rows, account, emailSource)
        await also(rows)
        return true
      })
      if (isNew) onEvent({ type: 'account_added', subject: account.id, by })
      return isNew
    },
    setPassword: (subject, password) =>
      change({ type: 'account_password_changed', subject, by: 'operator' }, { password }, 'operator'),
    async changePassword(account, password, by) {
      // A user who only changes the password knows the old one.
      const resetBy = by === 'mail' ? 'user' : undefined
      const changed = await endOf(account, (end) => end({ password }), resetBy)
      if (changed) onEvent({ type: 'account_password_changed', subject: account.id, by })
      return changed && { ...changed, password }
    },
    async replaceHash({ id: subject, password: before }, password) {
      const seen = { state: 'active', password: before } as const
      const replaced = await changeAccount(database, subject, { password }, (row) => row.and(seen))
      if (replaced) onEvent({ type: 'password_rehashed', subject })
      return replaced
    },
    setDisabled(subject, disabled) {
      const state = disabled ? 'disabled' : 'active'
      const type = disabled ? 'account_disabled' : 'account_enabled'
      // The sessions of a disabled account have ended.
      const end = disabled ? setAndEnd : set
      return end({ type, subject }, (account) => account('state', '!=', state), { state })
    },
    setAdmin(subject, isAdmin) {
      const admin = isAdmin ? 1 : 0
      const type = isAdmin ? 'account_admin_added' : 'account_admin_removed'
      // No older session gets the rights: it may come from a provider that signs in no admin.
      return setAndEnd({ type, subject }, (account) => account('admin', '!=', admin), { admin })
    },
    endSessions: (subject, by) => change({ type: 'sessions_ended', subject, by }, {}),
    async endSessionsOf(account, also = async () => true) {
      const ended = await endOf(account, async (end, rows) => (await also(rows)) && end({}))
      if (ended) onEvent({ type: 'sessions_ended', subject: account.id, by: 'user' })
      return ended
    },
    async endAllSessions() {
      // The epoch ends all at once, and apps get logout tokens afterwards. The rows are kept for that, also if this is repeated.
      await database
        .updateTable('account')
        .set({ session_epoch: epochAt(Date.now()) })
        .execute()
      await expireAll()
      onEvent({ type: 'sessions_ended', by: 'operator' })
      for (const { id } of await rows.select('id').execute()) await tellAll(id)
    },
    async remove(subject) {
      const removed = await endAll(subject, (end, rows) => removeAccount(rows, subject, end))
      if (removed) onEvent({ type: 'account_removed', subject })
      return removed
    },
    removePasskey: (subject, passkey, keepsOne) => removeMethod(subject, { passkey, keepsOne }),
    removeIdentity: (subject, issuer, identity) => removeMethod(subject, { issuer, identity }),
  })
  return { ...methods, sessions }
}

async function insertAccount(rows: Rows, account: Account, emailSource: EmailSource): Promise<void> {
  const row = rowOf(account, emailSource, new Date().toISOString())
  await rows.insertInto('account').values(row).execute()
}

async function nothing(): Promise<void> {}

async function isPresent(
  database: Database,
  id: string,
  condition: AccountCondition = (account) => account.and([]),
): Promise<boolean> {
  const rows = database.selectFrom('account').select('id').where('id', '=', id).where(condition)
  return (await rows.where('state', '!=', 'removed').executeTakeFirst()) !== undefined
}

async function removeAccount(rows: Rows, id: string, end: ChangeAndEnd): Promise<boolean> {
  const emptied = {
    email: null,
    email_source: null,
    email_since: null,
    claims: '{}',
    password: '',
    admin: 0,
    provider_roles: null,
  }
  if (!(await end({ ...emptied, state: 'removed' }))) return false
  for (const table of ['passkey', 'identity', 'installation_name'] as const)
    await rows.deleteFrom(table).where('account', '=', id).execute()
  await removeAttempts(rows, id)
  return true
}

/** `unknown`: it does not exist, or belongs to another account. */
type Removed = 'removed' | 'unknown' | 'last'

/** A passkey, or an identity at an OpenID provider. */
type SignInMethod =
  | { readonly passkey: string; readonly keepsOne?: boolean | undefined }
  | { readonly issuer: string; readonly identity: string }

/** Locks the account, so that the second of two concurrent removals sees the result of the first. */
async function removeLocked(
  rows: Rows,
  end: ChangeAndEnd,
  subject: string,
  method: SignInMethod,
): Promise<Removed> {
  await rows.updateTable('account').set({ id: subject }).where('id', '=', subject).execute()
  const refused = await refusal(rows, subject, method)
  if (refused !== undefined) return refused
  await end({})
  if ('passkey' in method) await rows.deleteFrom('passkey').where('id', '=', method.passkey).execute()
  else await removeIdentityRow(rows, subject, method)
  return 'removed'
}

async function removeIdentityRow(
  rows: Rows,
  account: string,
  { issuer, identity }: Extract<SignInMethod, { issuer: string }>,
): Promise<void> {
  await rows.deleteFrom('identity').where('issuer', '=', issuer).where('subject', '=', identity).execute()
  await dropRoles(rows, account)
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
  if ('passkey' in method && method.keepsOne && passkeys.length === 1) return 'last'
  const others = (account?.password ? 1 : 0) + passkeys.length + identities.length - 1
  return others === 0 ? 'last' : undefined
}

/**
 * Accounts whose hashes get the current kind and cost once the password is known: beside the answer to a sign-in. Where that
 * fails, or others wait, the user is signed in all the same, and the next sign-in tries again.
 *
 * @param kept hashes that say which accounts have a publicly known password
 */
export function accountsThatRehash(accounts: AccountRows, { checks, kept, onError }: Rehashing): AccountRows {
  return {
    ...accounts,
    async verify(email, password) {
      const account = await accounts.verify(email, password)
      if (account && isOutdated(account.password) && !kept.includes(account.password))
        checks
          .whenFree(async () => accounts.replaceHash(account, await hashPassword(password)))
          .catch(onError)
      return account
    },
  }
}

interface Rehashing {
  readonly checks: PasswordChecks
  readonly kept: readonly string[]
  readonly onError: (error: unknown) => void
}
