import { setImmediate as breath } from 'node:timers/promises'
import type { Database } from '../database/database.ts'
import { dayOf } from './entry.ts'

/** Rows of one statement. SQLite works in the event loop: this many take some milliseconds. */
const STEP = 500

/**
 * Deletes expired entries. A day after they expire: the database refuses an earlier deletion, and has a clock of its
 * own.
 *
 * @returns how many
 */
export async function prune(database: Database, now: Date): Promise<number> {
  const over = database.selectFrom('audit').select('id').where('kept_until', '<', dayOf(now, -1)).limit(STEP)
  for (let deleted = 0; ; await breath()) {
    const { numDeletedRows } = await database
      .deleteFrom('audit')
      .where('id', 'in', over)
      .executeTakeFirstOrThrow()
    deleted += Number(numDeletedRows)
    if (numDeletedRows < STEP) return deleted
  }
}
