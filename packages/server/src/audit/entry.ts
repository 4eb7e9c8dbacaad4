import type { AuditRow } from '../database/tables.ts'
import { DAY_MS } from '../time-units.ts'

/** An event as the trail keeps it. Its other members are ids, reasons and counts, never a secret. */
export interface Happened {
  readonly type: string
  /** The id of the user. */
  readonly subject?: string | undefined
  readonly clientId?: string | undefined
  readonly [fact: string]: unknown
}

export interface AuditEntry extends Happened {
  /** Unique, and ordered by time. */
  readonly id: string
  /** ISO 8601, in UTC. */
  readonly at: string
}

const MOMENT_LENGTH = '2026-01-01T00:00:00.000Z'.length

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

export function entryOf({ id, type, subject, client_id, facts }: Omit<AuditRow, 'kept_until'>): AuditEntry {
  // A fact with the name of a column would be read as the place of the entry in the list.
  const { id: _, ...others } = JSON.parse(facts)
  return {
    id,
    at: id.slice(0, MOMENT_LENGTH),
    type,
    ...(subject === null ? {} : { subject }),
    ...(client_id === null ? {} : { clientId: client_id }),
    ...others,
  }
}

/** The day, a number of days after a time. */
export function dayOf(at: Date, days: number): string {
  return new Date(at.getTime() + days * DAY_MS).toISOString().slice(0, 10)
}

/** The key by which omitted entries are counted: one of a short list that callers cannot extend. */
export function reasonOf({ type, reason }: Happened): string {
  return typeof reason === 'string' ? reason : type
}
