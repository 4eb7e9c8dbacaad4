import type { DatabaseSync } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'

/** Few, so that no request waits long for a step. */
const ROWS_PER_STEP = 500
const SECONDS_PER_DAY = 86_400

/**
 * Deletes rows that expired before this day, some at a time; requests run between the steps.
 *
 * @param now epoch seconds
 * @returns how many rows are gone
 */
export async function sweep(database: DatabaseSync, tables: readonly string[], now: number): Promise<number> {
  const today = Math.floor(now / SECONDS_PER_DAY)
  let swept = 0
  for (const table of tables) {
    const expired = `SELECT rowid FROM ${table} WHERE sweep_day <= ? LIMIT ${ROWS_PER_STEP}`
    const step = database.prepare(`DELETE FROM ${table} WHERE rowid IN (${expired})`)
    for (let rows = ROWS_PER_STEP; rows === ROWS_PER_STEP; await nextTurn()) {
      rows = Number(step.run(today).changes)
      swept += rows
    }
  }
  return swept
}
