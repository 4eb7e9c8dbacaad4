import { MINUTE_MS } from '../config/time-units.ts'
import type { Database } from '../database/database.ts'
import { keySuffixes, pruneExpired, type RowQueue, rowBudget, rowQueue } from '../database/row-queue.ts'
import type { AuditRow } from '../database/tables.ts'
import {
  type AuditedEvent,
  type Cause,
  causeOf,
  dayOf,
  type Happened,
  happenedOf,
  reasonOf,
  rowOf,
} from './entry.ts'

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

/** Entries that wait to be written to the database. */
interface AuditQueue extends Pick<RowQueue<AuditRow>, 'flush' | 'close'> {
  /** @param days how long the row is kept @param most drops and counts the entry if this many wait already */
  add(happened: Happened, days: number, most: number): void
}

export interface AuditOptions {
  /** How many days an entry is kept. */
  readonly days: number
  /** Called once for each outage of the database, and about entries that are lost. */
  readonly onWarning: (warning: string) => void
}

function auditQueue(database: Database, { days: longest, onWarning }: AuditOptions): AuditQueue {
  const suffix = keySuffixes()
  const dropped = leftOut()
  let count = 0
  const row = (happened: Happened, days: number) => rowOf(happened, new Date(), suffix(count++), days)
  const queue = rowQueue<AuditRow>({
    name: 'audit trail',
    insert: (batch) => insert(database, batch),
    aboutDropped: () => dropped.take().map((happened) => row(happened, longest)),
    onWarning,
  })
  return {
    add(happened, days, most) {
      if (!queue.add(row(happened, days), most)) dropped.add(happened, reasonOf(happened))
    },
    flush: queue.flush,
    close: queue.close,
  }
}

/** A batch may have been written although its response was lost: writing it again adds nothing. */
async function insert(database: Database, batch: readonly AuditRow[]): Promise<void> {
  await database
    .insertInto('audit')
    .values(batch)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/**
 * Limits the rows that a caller can cause in a minute. Entries beyond the limit are counted: no flood fills the disk,
 * and a flood of one reason hides no other reason.
 */

/** Rows in a minute for one type of one user. */
const OF_USER = 60
/** Clients and networks in a minute for one error reason, and for all reasons together. */
const OF_REASON = 3
const OF_UNAUTHENTICATED = 20

/** Entries that are equal but for their time. */
interface Repeated {
  readonly first: Happened
  more: number
}

export interface Bounds {
  /** Whether the entry gets a row. Otherwise it is counted. */
  admits(happened: Happened, cause: Cause): boolean
  /** The rows of the entries counted since the last call. Resets all limits. */
  counted(): Happened[]
}

export function boundsOfMinute(): Bounds {
  const rows = rowBudget()
  let repeated = new Map<string, Repeated>()
  const withoutRow = leftOut()

  function leaveOut(happened: Happened, group: string): boolean {
    withoutRow.add(happened, group)
    return false
  }

  function admitsUser(happened: Happened): boolean {
    const { type, subject, clientId } = happened
    const group = `user ${subject ?? clientId} ${type}`
    return rows.take(group, OF_USER) || leaveOut(happened, group)
  }

  function admitsUnauthenticated(happened: Happened): boolean {
    const kind = [reasonOf(happened), happened.subject, happened.clientId, happened.network].join(' ')
    const known = repeated.get(kind)
    if (known !== undefined) known.more++
    else if (repeated.size >= OF_UNAUTHENTICATED || !rows.take(`reason ${reasonOf(happened)}`, OF_REASON))
      return leaveOut(happened, 'unauthenticated')
    else repeated.set(kind, { first: happened, more: 0 })
    return known === undefined
  }

  return {
    admits(happened, cause) {
      if (cause === 'unauthenticated') return admitsUnauthenticated(happened)
      return cause === 'user' ? admitsUser(happened) : true
    },
    counted() {
      const counted = [...repeated.values()].filter(({ more }) => more > 0)
      const withCount = counted.map(({ first, more }) => ({ ...first, count: more }))
      rows.reset()
      repeated = new Map()
      return [...withCount, ...withoutRow.take()]
    },
  }
}

/** Counts the entries that get no row, by user and client. */
interface LeftOut {
  /** @param group its first `MAX_NAMED` users and clients are named */
  add(happened: Happened, group: string): void
  /** One row for each user and client since the last call. */
  take(): Happened[]
}

/** A caller may send any number of names; names beyond this limit get no row of their own. */
const MAX_NAMED = 20

interface Row extends Happened {
  count: number
  readonly reasons: Record<string, number>
}

function leftOut(): LeftOut {
  let rows = new Map<string, Row>()
  let names = new Map<string, Set<string>>()

  /** Whether the group has this name, or has space for it. */
  function admitsName(group: string, name: string): boolean {
    const known = names.get(group) ?? new Set()
    if (known.size < MAX_NAMED) names.set(group, known.add(name))
    return known.has(name)
  }

  return {
    add(happened, group) {
      const { subject, clientId } = happened
      const name = JSON.stringify([subject, clientId])
      const named = admitsName(group, name)
      const whose = named ? { subject, clientId } : {}
      const row = rows.get(named ? name : '') ?? { type: 'left_out', ...whose, count: 0, reasons: {} }
      const reason = reasonOf(happened)
      row.count++
      row.reasons[reason] = (row.reasons[reason] ?? 0) + 1
      rows.set(named ? name : '', row)
    },
    take() {
      const taken = [...rows.values()]
      rows = new Map()
      names = new Map()
      return taken
    },
  }
}
