import type { Selectable } from 'kysely'
import type { AccountRow } from '../database/tables.ts'
import type { Account, EmailSource, StoredAccount } from './accounts.ts'
import { epochAt } from './session-epoch.ts'

/** Accounts as rows. */

/** An address as it is stored. Only ASCII has small letters here: in Unicode the Kelvin sign is a capital k. */
export function addressOf(email: string): string {
  return email.trim().replace(/[A-Z]/g, (letter) => letter.toLowerCase())
}

export function rowOf(
  { id, password, ...claims }: Account,
  source: EmailSource,
  addedAt: string,
): AccountRow {
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
