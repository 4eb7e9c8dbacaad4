import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { Database } from './database.ts'

/** Rows of one statement. SQLite works in the event loop: this many take some milliseconds. */
const STEP = 500

/** Deletes the rows that are kept until an earlier day. @param day in UTC, as `2026-01-01` @returns how many */
export async function pruneExpired(
  database: Database,
  table: 'audit' | 'attempt_steps',
  day: string,
): Promise<number> {
  const over = database.selectFrom(table).select('id').where('kept_until', '<', day).limit(STEP)
  for (let deleted = 0; ; await yieldToEventLoop()) {
    const { numDeletedRows } = await database
      .deleteFrom(table)
      .where('id', 'in', over)
      .executeTakeFirstOrThrow()
    deleted += Number(numDeletedRows)
    if (numDeletedRows < STEP) return deleted
  }
}
