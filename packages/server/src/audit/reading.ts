import type { Database } from '../database/database.ts'
import { errorsAs503 } from '../database/errors-as-503.ts'
import type { Page } from '../database/lists.ts'
import type { AuditRow } from '../database/tables.ts'
import type { AuditTrail, Happened } from './trail.ts'

export interface AuditEntry extends Happened {
  /** Unique, and ordered by time. */
  readonly id: string
  /** ISO 8601, in UTC. */
  readonly at: string
}

const MOMENT_LENGTH = '2026-01-01T00:00:00.000Z'.length

function entryOf({ id, type, subject, client_id, facts }: Omit<AuditRow, 'kept_until'>): AuditEntry {
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

/** Which entries to read. They match every property that is set. */
export interface AuditQuery {
  readonly subject?: string | undefined
  readonly clientId?: string | undefined
  readonly types?: readonly string[] | undefined
  /** ISO 8601, in UTC with milliseconds; included. */
  readonly since?: string | undefined
  /** The same; not included. */
  readonly until?: string | undefined
}

/** One page, the newest first. @param cursor the `next` of the previous page */
export async function auditPage(
  database: Database,
  query: AuditQuery,
  limit: number,
  cursor?: string,
): Promise<Page<AuditEntry>> {
  const rows = rowsOf(database, query)
    .orderBy('id', 'desc')
    .limit(limit + 1)
  const found = await (cursor === undefined ? rows : rows.where('id', '<', cursor)).execute()
  const items = found.slice(0, limit).map(entryOf)
  return found.length > limit ? { items, next: items.at(-1)?.id } : { items }
}

/** How many entries are in memory at a time. */
const STEP = 1000

/** All entries, the oldest first. Includes entries that are written in the meantime. */
export async function* auditEntries(
  database: Database,
  query: AuditQuery,
  step = STEP,
): AsyncGenerator<AuditEntry> {
  const rows = rowsOf(database, query).orderBy('id').limit(step)
  let read = await rows.execute()
  while (read.length > 0) {
    yield* read.map(entryOf)
    read = await rows.where('id', '>', read.at(-1)?.id ?? '').execute()
  }
}

function rowsOf(database: Database, { subject, clientId, types, since, until }: AuditQuery) {
  return database
    .selectFrom('audit')
    .select(['id', 'type', 'subject', 'client_id', 'facts'])
    .$if(subject !== undefined, (rows) => rows.where('subject', '=', subject as string))
    .$if(clientId !== undefined, (rows) => rows.where('client_id', '=', clientId as string))
    .$if(types !== undefined, (rows) => rows.where('type', 'in', types as string[]))
    .$if(since !== undefined, (rows) => rows.where('id', '>=', since as string))
    .$if(until !== undefined, (rows) => rows.where('id', '<', until as string))
}

export type TrailReader = ReturnType<typeof trailReader>

/** Reads the audit trail, including the latest entries. @throws OAuthError `temporarily_unavailable` */
export function trailReader(database: Database, trail: Pick<AuditTrail, 'flush'>) {
  return errorsAs503({
    /** One page, the newest first. @param cursor the `next` of the previous page */
    async page(query: AuditQuery, limit: number, cursor?: string): Promise<Page<AuditEntry>> {
      await trail.flush()
      return auditPage(database, query, limit, cursor)
    },
  })
}

/** A sign-in, as shown to its user. */
export interface SignIn {
  /** The id of the session it started. */
  readonly sessionId: string
  /** Epoch seconds. */
  readonly at: number
  /** The network of the caller, if known. */
  readonly network?: string | undefined
}

const LATEST = 20

export type SignInHistory = ReturnType<typeof signInHistory>

/** From the audit trail, so with sign-ins at other replicas and before a restart. */
export function signInHistory(database: Database, trail: Pick<AuditTrail, 'flush'>) {
  return errorsAs503({
    /** The last twenty sign-ins of a user, the newest first. @throws OAuthError `temporarily_unavailable` */
    async list(subject: string): Promise<readonly SignIn[]> {
      // The latest sign-in may still wait to be written.
      await trail.flush()
      const { items } = await auditPage(database, { subject, types: ['sign_in_succeeded'] }, LATEST)
      return items.map(signInOf)
    },
  })
}

function signInOf({ at, sessionId, network }: AuditEntry): SignIn {
  return {
    sessionId: String(sessionId),
    at: Math.floor(Date.parse(at) / 1000),
    network: typeof network === 'string' ? network : undefined,
  }
}
