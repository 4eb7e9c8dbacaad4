import type { Database } from '../database/database.ts'
import { boundsOfMinute } from './bounds.ts'
import { type AuditedEvent, type Cause, causeOf, happenedOf } from './kept-events.ts'
import { prune } from './pruning.ts'
import { type AuditOptions, auditQueue } from './queue.ts'

/** Writes down who allowed what to whom, who signed in, and what the operator changed. */
export interface AuditTrail {
  /** Takes down an event, if it is one of those that are kept. Never throws, never waits. */
  onEvent(event: AuditedEvent): void
  /** Resolves when everything so far is in the database, or it is out of reach. */
  flush(): Promise<void>
  close(): Promise<void>
}

/** What strangers cause is of use for a while, and is most of what there is. */
const DAYS_OF_STRANGERS = 30
/** Entries that wait for the database while it is out of reach; one has some 500 bytes. Strangers' go first. */
const MAX_WAITING: Readonly<Record<Cause, number>> = {
  operator: 10_000,
  decision: 10_000,
  user: 5000,
  stranger: 1000,
}
const MINUTE_MS = 60_000
const PRUNE_MS = 10 * MINUTE_MS

export function auditTrail(database: Database, options: AuditOptions): AuditTrail {
  const { days, onWarning } = options
  const queue = auditQueue(database, options)
  const bounds = boundsOfMinute()
  const daysOf = (cause: Cause) => (cause === 'stranger' ? Math.min(days, DAYS_OF_STRANGERS) : days)

  function endMinute(): void {
    for (const happened of bounds.counted()) queue.add(happened, daysOf('stranger'), MAX_WAITING.operator)
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
