import {
  type RecordKind,
  recordStatements,
  recordTable,
  type Statements,
  sweepStatements,
  TABLES,
} from './statements.ts'

const entry = 'grantkit_entry'
const meta = 'grantkit_meta'

/**
 * The tables of an object. An entry names a grant of a subject, which lies in another object. Its rows are in the order of
 * the list, so that one row is written for it and one for the index.
 */
export const OBJECT_SCHEMA: readonly string[] = [
  ...Object.values(TABLES).map((table) => recordTable(table)),
  `CREATE TABLE IF NOT EXISTS ${entry} (
    subject TEXT NOT NULL,
    owner TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    id TEXT NOT NULL,
    expires_at INTEGER NOT NULL,
    PRIMARY KEY (subject, created_at, id)
  ) STRICT, WITHOUT ROWID`,
  `CREATE INDEX IF NOT EXISTS ${entry}_by_owner ON ${entry} (owner, created_at, id)`,
  `CREATE TABLE IF NOT EXISTS ${meta} (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID`,
]

export const OBJECT_STATEMENTS: Readonly<Record<RecordKind, Statements>> = {
  client: recordStatements(TABLES.client),
  grant: recordStatements(TABLES.grant),
  transient: recordStatements(TABLES.transient),
}

/** Of several approvals with one ticket one opens the grant, and a reader ignores the entries of the others. */
export const ENLIST = `
  INSERT INTO ${entry} (subject, owner, created_at, id, expires_at) VALUES (?1, ?2, ?3, ?4, ?5)
  ON CONFLICT (subject, created_at, id) DO UPDATE SET expires_at = excluded.expires_at
  WHERE expires_at < excluded.expires_at`

const entriesOf = (column: string) => `
  SELECT id, created_at FROM ${entry}
  WHERE ${column} = ?1 AND (created_at, id) < (?2, ?3) AND expires_at > ?4
  ORDER BY created_at DESC, id DESC LIMIT ?5`

export const ENTRIES = { subject: entriesOf('subject'), owner: entriesOf('owner') }

/** The keys are JSON: a statement has at most a hundred parameters. */
export const FIND_ALL = `
  SELECT id, value FROM ${TABLES.grant} WHERE id IN (SELECT value FROM json_each(?1)) AND expires_at > ?2`

export const OBJECTS_OF_STORE = `SELECT value FROM ${meta} WHERE name = 'objects'`
export const KEEP_OBJECTS_OF_STORE = `INSERT INTO ${meta} (name, value) VALUES ('objects', ?1)`

/** Everything that expires in an object, what ends most often first. A step takes all entries of a subject or none. */
export const SWEEPS = [
  ...(['transient', 'grant', 'client'] as const).map((kind) => OBJECT_STATEMENTS[kind]),
  sweepStatements(entry, 'subject'),
]
