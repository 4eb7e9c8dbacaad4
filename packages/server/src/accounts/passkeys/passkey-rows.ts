import type { Selectable } from 'kysely'
import type { Database, Rows } from '../../database/database.ts'
import { errorsAs503 } from '../../database/errors-as-503.ts'
import type { PasskeyRow } from '../../database/tables.ts'
import { isCurrent, type StoredAccount } from '../accounts.ts'

/** A passkey of an account: the public key and its metadata. */
export interface Passkey {
  /** The id of the credential, in base64url. */
  readonly id: string
  /** The id of its account. */
  readonly subject: string
  /** The name that its user gave it. */
  readonly name: string
  /** The key in COSE (RFC 9052), in base64url. */
  readonly publicKey: string
  /** The signature counter: incremented with every use, if the authenticator supports it (WebAuthn 6.1.1). */
  readonly counter: number
  /** The transports: `internal`, `hybrid`, `usb`, … */
  readonly transports: readonly string[]
  /** Whether it is synchronised to more than one device. */
  readonly synced: boolean
  /** Epoch milliseconds, as below. */
  readonly addedAt: number
  readonly usedAt?: number | undefined
}

export const MAX_PASSKEYS = 20

export type PasskeyRows = ReturnType<typeof passkeyRows>

/**
 * Every method except `list` is one statement or one transaction, so that replicas agree. @throws OAuthError
 * `temporarily_unavailable`
 */
export function passkeyRows(database: Database) {
  const rows = database.selectFrom('passkey').selectAll()
  return errorsAs503({
    async find(id: string): Promise<Passkey | undefined> {
      const row = await rows.where('id', '=', id).executeTakeFirst()
      return row && passkeyOf(row)
    },
    /** The oldest first. */
    async list(subject: string): Promise<readonly Passkey[]> {
      const found = await rows.where('account', '=', subject).orderBy('added_at').orderBy('id').execute()
      return found.map(passkeyOf)
    },
    /**
     * `false`: the credential exists already, the account has as many as it may have, or its sessions have ended since it was
     * read.
     */
    add: (passkey: Passkey, account: StoredAccount, most?: number) =>
      database.transaction().execute((rows) => addPasskey(rows, passkey, account, most)),
    /** Whether `add` would add it to an account whose sessions go on. */
    isAddable: (passkey: Passkey) => isAddable(database, passkey),
    /**
     * Records a use. `false`: the passkey was removed, or its counter did not increase. Two uses with one counter mean
     * that the key was copied (WebAuthn 7.2, step 22); an authenticator without a counter always sends 0.
     */
    async use(
      id: string,
      { counter, synced, usedAt }: Pick<Passkey, 'counter' | 'synced' | 'usedAt'>,
    ): Promise<boolean> {
      const { numUpdatedRows } = await database
        .updateTable('passkey')
        .set({ counter, synced: synced ? 1 : 0, used_at: isoTimeOf(usedAt) })
        .where('id', '=', id)
        .where('counter', counter === 0 ? '=' : '<', counter)
        .executeTakeFirst()
      return numUpdatedRows > 0n
    },
  })
}

/** In a transaction. @returns `false` as above */
export async function addPasskey(
  rows: Rows,
  passkey: Passkey,
  account: StoredAccount,
  most = MAX_PASSKEYS,
): Promise<boolean> {
  if (!(await isCurrent(rows, account)) || !(await isAddable(rows, passkey, most))) return false
  const insert = rows.insertInto('passkey').values(rowOf(passkey))
  // Another account may get the same credential at the same time.
  const { numInsertedOrUpdatedRows } = await insert.onConflict((row) => row.doNothing()).executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

/** Whether the credential is new, and the account may have one more. */
async function isAddable(
  rows: Database | Rows,
  { id, subject }: Passkey,
  most = MAX_PASSKEYS,
): Promise<boolean> {
  const known = rows.selectFrom('passkey').select('id')
  const found = await known.where((row) => row.or({ id, account: subject })).execute()
  return found.length < most && !found.some((passkey) => passkey.id === id)
}

function rowOf(passkey: Passkey): PasskeyRow {
  const { id, subject, name, publicKey, counter, transports, synced, addedAt, usedAt } = passkey
  return {
    id,
    account: subject,
    name,
    public_key: publicKey,
    counter,
    transports: JSON.stringify(transports),
    synced: synced ? 1 : 0,
    added_at: new Date(addedAt).toISOString(),
    used_at: isoTimeOf(usedAt),
  }
}

function passkeyOf(row: Selectable<PasskeyRow>): Passkey {
  return {
    id: row.id,
    subject: row.account,
    name: row.name,
    publicKey: row.public_key,
    // Postgres returns a bigint as text.
    counter: Number(row.counter),
    transports: JSON.parse(row.transports),
    synced: row.synced === 1,
    addedAt: Date.parse(row.added_at),
    usedAt: row.used_at === null ? undefined : Date.parse(row.used_at),
  }
}

function isoTimeOf(milliseconds: number | undefined): string | null {
  return milliseconds === undefined ? null : new Date(milliseconds).toISOString()
}
