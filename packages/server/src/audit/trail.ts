import type { Database } from '../database/database.ts'
import { pruneExpired } from '../database/prune-expired.ts'
import { MINUTE_MS } from '../time-units.ts'
import { boundsOfMinute } from './bounds.ts'
import { dayOf } from './entry.ts'
import { type AuditedEvent, type Cause, causeOf, happenedOf } from './kept-events.ts'
import { type AuditOptions, auditQueue } from './queue.ts'

/** Records consents, sign-ins and changes by operators. */
export interface AuditTrail {
  /** Records an event, if its type is kept. Never throws, never waits. */
  onEvent(event: AuditedEvent): void
  /** Resolves when all entries so far are in the database, or the database is unreachable. */
  flush(): Promise<void>
  close(): Promise<void>
}

/** Entries of unauthenticated callers are useful for a while, and are the largest part. */
const DAYS_OF_UNAUTHENTICATED = 30
/**
 * Entries that wait while the database is unreachable; one has about 500 bytes. Those of unauthenticated callers are
 * dropped first.
 */
const MAX_WAITING: Readonly<Record<Cause, number>> = {
  operator: 10_000,
  decision: 10_000,
  user: 5000,
  unauthenticated: 1000,
}
const PRUNE_MS = 10 * MINUTE_MS

export function auditTrail(database: Database, options: AuditOptions): AuditTrail {
  const { days, onWarning } = options
  const queue = auditQueue(database, options)
  const bounds = boundsOfMinute()
  const daysOf = (cause: Cause) =>
    cause === 'unauthenticated' ? Math.min(days, DAYS_OF_UNAUTHENTICATED) : days

  function endMinute(): void {
    for (const happened of bounds.counted())
      queue.add(happened, daysOf('unauthenticated'), MAX_WAITING.operator)
  }
  function pruneNow(): void {
    prune(database, new Date()).catch((error) => onWarning(`The audit trail was not pruned: ${error}`))
  }
  const timers = [setInterval(endMinute, MINUTE_MS).unref(), setInterval(pruneNow, PRUNE_MS).unref()]
  return {
    onEvent(event) {
      const cause = causeOf(event)
      if (cause === undefined) return
      const happened = happenedOf(event, cause)
      if (bounds.admits(happened, cause)) queue.add(happened, daysOf(cause), MAX_WAITING[cause])
    },
    flush: queue.flush,
    async close() {
      for (const timer of timers) clearInterval(timer)
      endMinute()
      await queue.close()
    },
  }
}

/**
 * Deletes expired entries. A day after they expire: the database refuses an earlier deletion, and has a clock of its
 * own.
 *
 * @returns how many
 */
export function prune(database: Database, now: Date): Promise<number> {
  return pruneExpired(database, 'audit', dayOf(now, -1))
}
