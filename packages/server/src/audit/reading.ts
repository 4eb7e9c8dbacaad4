import type { Database } from '../database/database.ts'
import { type AuditEntry, entryOf } from './entry.ts'

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

export interface AuditPage {
  readonly entries: readonly AuditEntry[]
  /** The cursor of the next page. Absent on the last one. */
  readonly next?: string | undefined
}

/** One page, the newest first. @param cursor the `next` of the previous page */
export async function auditPage(
  database: Database,
  query: AuditQuery,
  limit: number,
  cursor?: string,
): Promise<AuditPage> {
  const rows = rowsOf(database, query)
    .orderBy('id', 'desc')
    .limit(limit + 1)
  const found = await (cursor === undefined ? rows : rows.where('id', '<', cursor)).execute()
  const entries = found.slice(0, limit).map(entryOf)
  return found.length > limit ? { entries, next: entries.at(-1)?.id } : { entries }
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
