import { type RawBuilder, sql } from 'kysely'
import type { Rows } from '../database/database.ts'
import type { StoredAccount } from './accounts.ts'

/**
 * Called when all sessions of a user end. `before`: tells apps of it (back-channel logout), and ends the grants that end with
 * them. `after`: ends those that a session has opened meanwhile, and tells no app again.
 */
export type SessionsEnding = (subject: string, when: 'before' | 'after') => Promise<void>

/** Sessions that began earlier have an earlier epoch. */
interface NextEpoch {
  readonly session_epoch: RawBuilder<number>
}

/** Ends all sessions of an account. @param end writes the epoch, and what else changes with it */
export type EndSessions = <Result>(
  subject: string,
  end: (epoch: NextEpoch) => Promise<Result>,
) => Promise<Result>

/**
 * The one way to end all sessions of an account: nothing else has the next epoch. Apps are told first: if the process
 * ends in between, they are told once too often instead of never.
 */
export function sessionEnd(ending: SessionsEnding): EndSessions {
  return async (subject, end) => {
    await ending(subject, 'before')
    const result = await end({ session_epoch: sql<number>`session_epoch + 1` })
    await ending(subject, 'after')
    return result
  }
}

const SECONDS_BEFORE_2020 = 1_577_836_800

/**
 * The epoch of a new account, and of all accounts after a restore. A cookie of a session that began after the backup has an
 * epoch that is still to come, or that of an account which the backup lacks and which is added again: this one is later than
 * any that counting has reached, and than those of the restores before.
 *
 * @param time milliseconds
 */
export function epochAt(time: number): number {
  return Math.floor(time / 1000) - SECONDS_BEFORE_2020
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
