import type { DatabaseSync } from 'node:sqlite'
import { sweepDay, systemTime, type Time } from '@grantkit/core/store-kit'

/** Few, so that no request waits long for a step. */
const ROWS_PER_STEP = 100
/** Milliseconds between two steps, which requests have for themselves: a day's rows are due at once. */
const PAUSE_MS = 25

/**
 * Deletes rows that expired on a day before this one and an hour ago, some at a time; requests run between the steps.
 *
 * @param now epoch seconds
 * @returns how many rows are gone
 */
export async function sweep(
  database: DatabaseSync,
  tables: readonly string[],
  now: number,
  time: Time = systemTime,
): Promise<number> {
  const day = sweepDay(now)
  let swept = 0
  for (const table of tables) {
    for (let rows = ROWS_PER_STEP; rows === ROWS_PER_STEP; swept += rows) {
      if (swept > 0) await time.sleep(PAUSE_MS)
      // It may have been closed meanwhile.
      if (!database.isOpen) return swept
      const expired = `SELECT rowid FROM ${table} WHERE sweep_day <= ? LIMIT ${ROWS_PER_STEP}`
      rows = Number(database.prepare(`DELETE FROM ${table} WHERE rowid IN (${expired})`).run(day).changes)
    }
  }
  return swept
}
