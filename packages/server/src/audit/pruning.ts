import type { Database } from '../database/database.ts'
import { pruneExpired } from '../database/prune-expired.ts'
import { dayOf } from './entry.ts'

/**
 * Deletes expired entries. A day after they expire: the database refuses an earlier deletion, and has a clock of its
 * own.
 *
 * @returns how many
 */
export function prune(database: Database, now: Date): Promise<number> {
  return pruneExpired(database, 'audit', dayOf(now, -1))
}
