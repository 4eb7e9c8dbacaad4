import { dayOf } from '../audit/entry.ts'
import type { Database } from '../database/database.ts'
import { pruneExpired } from '../database/prune-expired.ts'

/** Deletes expired steps, and those of removed accounts that a replica wrote after the removal. @returns how many */
export async function pruneAttempts(database: Database, now: Date): Promise<number> {
  const removed = database.selectFrom('account').select('id').where('state', '=', 'removed')
  const { numDeletedRows } = await database
    .deleteFrom('attempt_steps')
    .where('subject', 'in', removed)
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows) + (await pruneExpired(database, 'attempt_steps', dayOf(now, 0)))
}
