import type { UserClaims } from '@grantkit/core'
import type { Expression, ExpressionBuilder, Selectable, SqlBool, UpdateObject } from 'kysely'
import * as z from 'zod'
import { contentOf, jsonOf } from '../config/text-file.ts'
import type { Database, Rows } from '../database/database.ts'
import type { AccountRow, Tables } from '../database/tables.ts'
import { examinedHash } from './password-hashes.ts'
import { ProfileClaims } from './user-claims.ts'

const ImportedAccount = z.strictObject({
  /** The `sub` of the user: never changes, and is never reused for another person. */
  id: z.string().min(1),
  email: z.email().transform((email) => email.toLowerCase()),
  email_verified: z.boolean().default(false),
  name: z.string().min(1),
  ...ProfileClaims.shape,
  /** Epoch seconds, as the claim of OpenID Connect Core 5.1. */
  updated_at: z.number().int(),
  password: z
    .string()
    .refine(
      (hash) => 'scheme' in examinedHash(hash),
      'must be the hash of a password, as the database of accounts has them',
    ),
})
const AccountsFile = z.object({ accounts: z.array(ImportedAccount) })

/** A user. The e-mail address is absent if no trusted party verified it. */
export interface Account extends Omit<z.output<typeof ImportedAccount>, 'email'> {
  readonly email?: string | undefined
}

/** A snapshot of an account. */
export interface StoredAccount extends Account {
  /**
   * Incremented whenever all sessions of the account end: what was verified with an earlier one starts no session, adds no
   * passkey and sets no password.
   */
  readonly sessionEpoch: number
  readonly emailSource: EmailSource | undefined
}

/**
 * Who verified the e-mail address: the operator who added it, or the issuer of the OpenID provider. `undefined` for an
 * account that an older release added through a provider.
 */
export type EmailSource = 'operator' | (string & {})

export interface Accounts {
  /** The account for a correct e-mail address and password. An unknown address takes as long as a known one. */
  verify(email: string, password: string): Promise<StoredAccount | undefined>
  find(id: string): Promise<StoredAccount | undefined>
  /** The id of the account with this e-mail address. */
  idOf(email: string): Promise<string | undefined>
  /** The claims for UserInfo (OpenID Connect Core 5.1), or `undefined` if the user is disabled or removed. */
  claims(id: string): Promise<UserClaims | undefined>
}

/** @throws ConfigError when the file cannot be used */
export async function readAccounts(path: string): Promise<Account[]> {
  return (await contentOf('ACCOUNTS_FILE', path, jsonOf(AccountsFile, 'file of accounts'))).accounts
}

// Accounts as rows.

/** An address as it is stored. Only ASCII has small letters here: in Unicode the Kelvin sign is a capital k. */
export function addressOf(email: string): string {
  return email.trim().replace(/[A-Z]/g, (letter) => letter.toLowerCase())
}

export function rowOf(
  { id, password, ...claims }: Account,
  source: EmailSource,
  addedAt: string,
): Omit<AccountRow, 'provider_roles'> {
  const { email, email_verified: _, ...others } = claims
  const address =
    email === undefined
      ? { email: id, email_source: null, email_since: null, claims: JSON.stringify(others) }
      : { email, email_source: source, email_since: addedAt, claims: JSON.stringify(claims) }
  return {
    id,
    ...address,
    password,
    state: 'active',
    admin: 0,
    session_epoch: epochAt(Date.parse(addedAt)),
    added_at: addedAt,
  }
}

const SECONDS_BEFORE_2020 = 1_577_836_800

/**
 * The epoch of a new account, and of all accounts after a restore. A link for a new password that was sent after the backup may
 * have an epoch that is still to come, or that of an account which the backup lacks and which is added again: this one is
 * later than any that counting has reached, and than those of the restores before.
 *
 * @param time milliseconds
 */
export function epochAt(time: number): number {
  return Math.floor(time / 1000) - SECONDS_BEFORE_2020
}

export function accountOf(row: Selectable<AccountRow>): StoredAccount {
  const { id, claims, password, session_epoch, email_source } = row
  const own = { id, password, sessionEpoch: session_epoch, emailSource: email_source ?? undefined }
  return withClaims(own, JSON.parse(claims))
}

/** No claim replaces another member of the account, such as the id. */
export function withClaims(
  {
    id,
    password,
    sessionEpoch,
    emailSource,
  }: Pick<StoredAccount, 'id' | 'password' | 'sessionEpoch' | 'emailSource'>,
  claims: object,
): StoredAccount {
  const profile = { email_verified: false, ...claims } as StoredAccount
  return { ...profile, id, password, sessionEpoch, emailSource }
}

export type AccountValues = UpdateObject<Tables, 'account'>
export type AccountCondition = (account: ExpressionBuilder<Tables, 'account'>) => Expression<SqlBool>

/** `false`: it is unknown, removed, or the condition does not hold. */
export async function changeAccount(
  rows: Database | Rows,
  id: string,
  values: AccountValues,
  condition: AccountCondition = (account) => account.and([]),
): Promise<boolean> {
  const { numUpdatedRows } = await rows
    .updateTable('account')
    .set(values)
    .where('id', '=', id)
    .where('state', '!=', 'removed')
    .where(condition)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Locks an account until the transaction ends. `false`: it is disabled, removed or unknown. */
export async function isActive(rows: Rows, id: string): Promise<boolean> {
  return (await locked(rows, id).executeTakeFirst()).numUpdatedRows > 0n
}

/** The same. `false` also if its sessions have ended since it was read, so the requested change is not allowed. */
export async function isCurrent(rows: Rows, { id, sessionEpoch }: StoredAccount): Promise<boolean> {
  const current = locked(rows, id).where('session_epoch', '=', sessionEpoch)
  return (await current.executeTakeFirst()).numUpdatedRows > 0n
}

/** An update, because SQLite has no lock of a row. */
function locked(rows: Rows, id: string) {
  return rows.updateTable('account').set({ id }).where('id', '=', id).where('state', '=', 'active')
}
