import { type RecordKind, recordStatements, recordTable, type Statements, TABLES } from './statements.ts'

const { client, grant, transient } = TABLES

/** The tables. `migrations/` has the same statements as files for wrangler. */
export const D1_SCHEMA: readonly string[] = [
  recordTable(client),
  recordTable(
    grant,
    `,
  subject TEXT NOT NULL,
  owner TEXT NOT NULL,
  created_at INTEGER NOT NULL`,
  ),
  recordTable(transient),
  `CREATE INDEX IF NOT EXISTS ${grant}_by_subject ON ${grant} (subject, created_at, id)`,
  `CREATE INDEX IF NOT EXISTS ${grant}_by_owner ON ${grant} (owner, created_at, id)`,
]

export const D1_STATEMENTS: Readonly<Record<RecordKind, Statements>> = {
  client: recordStatements(client),
  grant: recordStatements(grant, ['subject', 'owner', 'created_at']),
  transient: recordStatements(transient),
}

/** What ends most often first. */
export const D1_SWEEPS = [D1_STATEMENTS.transient, D1_STATEMENTS.grant, D1_STATEMENTS.client]

/** A page of a list of grants, the newest first. */
export function d1List(column: 'subject' | 'owner'): string {
  return `
    SELECT id, value, created_at FROM ${grant}
    WHERE ${column} = ?1 AND (created_at, id) < (?2, ?3) AND expires_at > ?4
    ORDER BY created_at DESC, id DESC LIMIT ?5`
}
