import type { Database } from '../database/database.ts'
import {
  dayOf,
  keySuffixes,
  MAX_WAITING,
  pruneExpired,
  type RecordOptions,
  ROWS_A_MINUTE,
  recordedRows,
  rowBudget,
} from '../database/row-queue.ts'
import type { AuditRow } from '../database/tables.ts'
import { type AuditedEvent, type Cause, causeOf } from '../events.ts'
import { actorOfEvent, callerOfEvent, clientIdIn } from './caller.ts'

/** Entries of unauthenticated callers are useful for a while, and are the largest part. */
const DAYS_OF_UNAUTHENTICATED = 30

export type AuditTrail = ReturnType<typeof auditTrail>

/** Records consents, sign-ins and changes by operators. */
export function auditTrail(database: Database, { days, onWarning }: RecordOptions) {
  const suffix = keySuffixes()
  const dropped = leftOut()
  const bounds = boundsOfMinute()
  let count = 0
  const row = (happened: Happened, kept = days) => rowOf(happened, new Date(), suffix(count++), kept)
  const queue = recordedRows(database, {
    ...{ table: 'audit', name: 'audit trail', onWarning, eachMinute: endMinute },
    prune: (now) => prune(database, now),
    aboutDropped: () => dropped.take().map((happened) => row(happened)),
  })

  function add(happened: Happened, cause: Cause, most: number): void {
    const kept = cause === 'unauthenticated' ? Math.min(days, DAYS_OF_UNAUTHENTICATED) : days
    if (!queue.add(row(happened, kept), most)) dropped.add(happened, reasonOf(happened))
  }
  function endMinute(): void {
    for (const happened of bounds.counted()) add(happened, 'unauthenticated', MAX_WAITING.operator)
  }
  return {
    /** Records an event, if its type is kept. Never throws, never waits. */
    onEvent(event: AuditedEvent): void {
      const cause = causeOf(event)
      if (cause === undefined) return
      const happened = happenedOf(event, cause)
      if (bounds.admits(happened, cause)) add(happened, cause, MAX_WAITING[cause])
    },
    /** Resolves when all entries so far are in the database, or the database is unreachable. */
    flush: queue.flush,
    close(): Promise<void> {
      endMinute()
      return queue.close()
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

// Limits the rows that a caller can cause in a minute. Entries beyond the limit are counted: no flood fills the disk,
// and a flood of one reason hides no other reason.

/** Entries that are equal but for their time. */
interface Repeated {
  readonly first: Happened
  more: number
}

export function boundsOfMinute() {
  const rows = rowBudget()
  const repeated = new Map<string, Repeated>()
  const withoutRow = leftOut()

  function leaveOut(happened: Happened, group: string): boolean {
    withoutRow.add(happened, group)
    return false
  }

  function admitsUser(happened: Happened): boolean {
    const { type, subject, clientId } = happened
    const group = `user ${subject ?? clientId} ${type}`
    return rows.take(group, ROWS_A_MINUTE.user) || leaveOut(happened, group)
  }

  function admitsUnauthenticated(happened: Happened): boolean {
    const kind = [reasonOf(happened), happened.subject, happened.clientId, happened.network].join(' ')
    const known = repeated.get(kind)
    if (known !== undefined) known.more++
    else if (
      repeated.size >= ROWS_A_MINUTE.unauthenticated ||
      !rows.take(`reason ${reasonOf(happened)}`, ROWS_A_MINUTE.reason)
    )
      return leaveOut(happened, 'unauthenticated')
    else repeated.set(kind, { first: happened, more: 0 })
    return known === undefined
  }

  return {
    /** Whether the entry gets a row. Otherwise it is counted. */
    admits(happened: Happened, cause: Cause): boolean {
      if (cause === 'unauthenticated') return admitsUnauthenticated(happened)
      return cause === 'user' ? admitsUser(happened) : true
    },
    /** The rows of the entries counted since the last call. Resets all limits. */
    counted(): Happened[] {
      const counted = [...repeated.values()].filter(({ more }) => more > 0)
      const withCount = counted.map(({ first, more }) => ({ ...first, count: more }))
      rows.reset()
      repeated.clear()
      return [...withCount, ...withoutRow.take()]
    },
  }
}

/** A caller may send any number of names; names beyond this limit get no row of their own. */
const MAX_NAMED = 20

interface Row extends Happened {
  count: number
  readonly reasons: Record<string, number>
}

/** Counts the entries that get no row, by user and client. */
function leftOut() {
  const rows = new Map<string, Row>()
  const names = new Map<string, Set<string>>()

  /** Whether the group has this name, or has space for it. */
  function admitsName(group: string, name: string): boolean {
    const known = names.get(group) ?? new Set()
    if (known.size < MAX_NAMED) names.set(group, known.add(name))
    return known.has(name)
  }

  return {
    /** @param group its first `MAX_NAMED` users and clients are named */
    add(happened: Happened, group: string): void {
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
    /** One row for each user and client since the last call. */
    take(): Happened[] {
      const taken = [...rows.values()]
      rows.clear()
      names.clear()
      return taken
    },
  }
}

// The entries of the trail.

/** An event as the trail keeps it. Its other members are ids, reasons and counts, never a secret. */
export interface Happened {
  readonly type: string
  /** The id of the user. */
  readonly subject?: string | undefined
  readonly clientId?: string | undefined
  readonly [fact: string]: unknown
}

/** @param tail distinguishes entries of the same millisecond */
export function rowOf(happened: Happened, at: Date, tail: string, days: number): AuditRow {
  const { type, subject, clientId, ...facts } = happened
  return {
    id: `${at.toISOString()}-${tail}`,
    type,
    subject: subject ?? null,
    client_id: clientId ?? null,
    facts: JSON.stringify(facts),
    kept_until: dayOf(at, days),
  }
}

/** The key by which omitted entries are counted: one of a short list that callers cannot extend. */
function reasonOf({ type, reason }: Happened): string {
  return typeof reason === 'string' ? reason : type
}

/**
 * The entry of an event. The caller of an operator's event is left out: a request may only be the first to notice the
 * change.
 */
function happenedOf(event: AuditedEvent, cause: Cause): Happened {
  if (cause === 'operator') return { ...withNamedId(event), actor: actorOfEvent() }
  if (event.type === 'logout_undelivered') {
    // It comes later than the request, and its fault and cause are for the log.
    const { type, clientId, subject, sid, why, count, attempts, status } = event
    return { type, clientId, subject, sid, why, count, attempts, status }
  }
  const { network, clientId } = callerOfEvent()
  if (event.type !== 'refused') return { ...event, network }
  const { type, subject, error, reason, known } = event
  // An assertion, a token or the form of a page names neither in the request.
  const whose = { clientId: clientId ?? clientIdIn(event.clientId), subject }
  return { type, ...whose, error, reason, known, path: event.path.slice(0, MAX_PATH), network }
}

const MAX_PATH = 200

/** `id` is the id of an entry. */
function withNamedId(event: AuditedEvent): Happened {
  if (event.type !== 'initial_access_token_added' && event.type !== 'initial_access_token_removed')
    return { ...event }
  const { id: initialAccessToken, ...facts } = event
  return { ...facts, initialAccessToken }
}
