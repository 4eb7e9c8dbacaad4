import { sql } from 'kysely'
import type { Rows } from '../database/database.ts'
import type { StoredAccount } from './accounts.ts'

/** Sessions that began earlier have an earlier epoch. */
export const NEXT_EPOCH = sql<number>`session_epoch + 1`

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
