import { existsSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { tableNames } from '@grantkit/core/store-kit'
import { createFile, onlyRow, openDatabase, REQUEST_LOCK_MS, unusable } from './database.ts'

export interface SchemaOptions {
  /** The file. Its directory must exist. */
  readonly path: string
  /** Prefix of every table, to distinguish them from your own tables in the file: `[a-z_]{1,32}`. Default `grantkit_`. */
  readonly prefix?: string | undefined
}

/** The tables of one prefix. Names are never made of other text, so no input reaches SQL. */
export interface Tables {
  readonly client: string
  readonly grant: string
  readonly transient: string
  /** Has one row, which is written to find out whether the file can be. It counts the steps of the schema, too. */
  readonly probe: string
}

/** @throws RangeError for a prefix that is not `[a-z_]{1,32}` */
export function tablesOf(prefix = 'grantkit_'): Tables {
  return { ...tableNames(prefix), probe: `${prefix}probe` }
}

/** The version that a release must know to use the tables. A step that takes something away raises it. */
const VERSION = 1

/** The highest version that this release knows. It grows a release before `VERSION` does. */
const KNOWN_VERSION = 1

/**
 * The steps to the tables of this release. It adds what the release before can live with, and a later one takes away. A step
 * that was released is never changed.
 */
const MIGRATIONS: readonly ((tables: Tables) => string)[] = [
  ({ client, grant, transient, probe }) => `
    ${recordTable(client)}
    ${recordTable(transient)}
    ${recordTable(grant, 'subject TEXT NOT NULL,')}
    CREATE INDEX ${grant}_subject ON ${grant} (subject);
    CREATE TABLE ${probe} (writes INTEGER NOT NULL) STRICT;
    INSERT INTO ${probe} VALUES (0);`,
  // Older grants are at the end of the list of their subject, and in the list of no owner.
  ({ grant }) => `
    ALTER TABLE ${grant} ADD COLUMN owner TEXT NOT NULL DEFAULT '';
    ALTER TABLE ${grant} ADD COLUMN created_at INTEGER NOT NULL DEFAULT 0;
    CREATE INDEX ${grant}_by_subject ON ${grant} (subject, created_at, id);
    CREATE INDEX ${grant}_by_owner ON ${grant} (owner, created_at, id);
    DROP INDEX ${grant}_subject;`,
]

/**
 * The index holds days: a change of a grant moves its expiry by minutes, and its entry stays where it is. A row is swept
 * up to a day after its end.
 */
function recordTable(name: string, column = ''): string {
  return `
    CREATE TABLE ${name} (
      id TEXT PRIMARY KEY,
      ${column}
      version TEXT NOT NULL,
      value TEXT NOT NULL,
      expires_at INTEGER NOT NULL,
      sweep_day INTEGER NOT NULL GENERATED ALWAYS AS (expires_at / 86400 + 1) STORED
    ) STRICT;
    CREATE INDEX ${name}_sweep ON ${name} (sweep_day);`
}

/** No request waits yet: a migration and an opening wait for what other processes do with the file. In milliseconds. */
const OPENING_LOCK_MS = 10_000

/**
 * Brings the tables to the version of this release, in one transaction, and creates the file if it is missing. Running
 * it again, or in several processes at once, changes nothing.
 *
 * @throws Error for tables of a newer release or of another program, and when the file cannot be written
 *
 * @example
 * ```ts
 * import { migrate } from '@grantkit/store-sqlite'
 *
 * migrate({ path: 'grants.sqlite' })
 * ```
 */
export function migrate({ path, prefix }: SchemaOptions): void {
  const tables = tablesOf(prefix)
  createFile(path)
  const database = openDatabase(path, OPENING_LOCK_MS)
  try {
    database.exec('BEGIN IMMEDIATE')
    const missing = MIGRATIONS.slice(stepsTaken(database, path, tables))
    for (const statements of missing) database.exec(statements(tables))
    if (missing.length > 0) recordSteps(database, tables)
    database.exec('COMMIT')
  } finally {
    database.close()
  }
}

/**
 * Opens a file whose tables are up to date.
 *
 * @throws Error that says what to run
 */
export function openMigrated(path: string, tables: Tables): DatabaseSync {
  // Opening a missing file would create it.
  if (!existsSync(path)) throw notMigrated(path)
  const database = openDatabase(path, OPENING_LOCK_MS)
  try {
    if (stepsTaken(database, path, tables) < MIGRATIONS.length) throw notMigrated(path)
    // SQLite opens a file that may not be written, and only a write would fail.
    writeTo(database, path, tables)
    database.exec(`PRAGMA busy_timeout = ${REQUEST_LOCK_MS}`)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

export function probeStatement({ probe }: Tables): string {
  return `UPDATE ${probe} SET writes = writes + 1`
}

function writeTo(database: DatabaseSync, path: string, tables: Tables): void {
  try {
    database.exec(probeStatement(tables))
  } catch (cause) {
    throw unusable(path, cause)
  }
}

/** Tables of one step have no column for their number. */
function recordSteps(database: DatabaseSync, { probe }: Tables): void {
  const { steps } = onlyRow(database, `SELECT * FROM ${probe}`)
  if (steps === undefined) database.exec(`ALTER TABLE ${probe} ADD COLUMN steps INTEGER`)
  database.exec(`UPDATE ${probe} SET steps = ${MIGRATIONS.length}; PRAGMA user_version = ${VERSION}`)
}

/** The number of steps that led to the tables, 0 if there are none. A newer release may have taken more. */
function stepsTaken(database: DatabaseSync, path: string, tables: Tables): number {
  const version = Number(onlyRow(database, 'PRAGMA user_version').user_version)
  const own = `SELECT count(*) AS count FROM sqlite_schema WHERE type = 'table' AND name IN (?, ?, ?, ?)`
  const count = Number(onlyRow(database, own, ...Object.values(tables)).count)
  if (version === 0 && count === 0) return 0
  if (count !== Object.keys(tables).length || version === 0) throw foreign(path, version)
  if (version > KNOWN_VERSION) throw newer(path, version)
  return Number(onlyRow(database, `SELECT * FROM ${tables.probe}`).steps ?? version)
}

function notMigrated(path: string): Error {
  return new Error(`${path} has no tables of this release: run migrate() of @grantkit/store-sqlite`)
}

function foreign(path: string, version: number): Error {
  return new Error(
    `${path} belongs to another program or prefix (user_version ${version}): run migrate() of @grantkit/store-sqlite with another path`,
  )
}

function newer(path: string, version: number): Error {
  return new Error(
    `${path} has schema ${version} of a newer release; this one knows ${KNOWN_VERSION}: run npm install @grantkit/store-sqlite@latest`,
  )
}
