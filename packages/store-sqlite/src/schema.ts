import { existsSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { tableNames } from '@grantkit/core/store-kit'
import { createFile, openDatabase, unusable } from './database.ts'

export interface SchemaOptions {
  /** The file. Its directory must exist. */
  readonly path: string
  /** Prefix of every table, to tell them from your own ones in the file: `[a-z_]{1,32}`. Default `grantkit_`. */
  readonly prefix?: string | undefined
}

/** The tables of one prefix. Names are never made of other text, so no input reaches SQL. */
export interface Tables {
  readonly client: string
  readonly grant: string
  readonly transient: string
  /** Has one row, which is written to find out whether the file can be. */
  readonly probe: string
}

/** @throws RangeError for a prefix that is not `[a-z_]{1,32}` */
export function tablesOf(prefix = 'grantkit_'): Tables {
  return { ...tableNames(prefix), probe: `${prefix}probe` }
}

/** The statements that lead from each version to the next one. A release adds an entry and never changes one. */
const MIGRATIONS: readonly ((tables: Tables) => string)[] = [
  ({ client, grant, transient, probe }) => `
    ${recordTable(client)}
    ${recordTable(transient)}
    ${recordTable(grant, 'subject TEXT NOT NULL,')}
    CREATE INDEX ${grant}_subject ON ${grant} (subject);
    CREATE TABLE ${probe} (writes INTEGER NOT NULL) STRICT;
    INSERT INTO ${probe} VALUES (0);`,
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

/** A migration waits for what other processes do with the file. In milliseconds. */
const MIGRATION_LOCK_MS = 10_000

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
  const database = openDatabase(path, MIGRATION_LOCK_MS)
  try {
    database.exec('BEGIN IMMEDIATE')
    for (const statements of MIGRATIONS.slice(versionOf(database, path, tables)))
      database.exec(statements(tables))
    database.exec(`PRAGMA user_version = ${MIGRATIONS.length}; COMMIT`)
  } finally {
    database.close()
  }
}

/**
 * Opens a file whose tables have the version of this release.
 *
 * @throws Error that says what to run
 */
export function openMigrated(path: string, tables: Tables): DatabaseSync {
  // Opening a missing file would create it.
  if (!existsSync(path)) throw notMigrated(path)
  const database = openDatabase(path)
  try {
    if (versionOf(database, path, tables) < MIGRATIONS.length) throw notMigrated(path)
    // SQLite opens a file that may not be written, and only a write would fail.
    writeTo(database, path, tables)
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

/** The version of the tables, 0 if there are none. */
function versionOf(database: DatabaseSync, path: string, tables: Tables): number {
  const version = Number(database.prepare('PRAGMA user_version').get()?.user_version)
  const own = `SELECT count(*) AS count FROM sqlite_schema WHERE type = 'table' AND name IN (?, ?, ?, ?)`
  const count = Number(database.prepare(own).get(...Object.values(tables))?.count)
  if (version === 0 && count === 0) return 0
  if (count !== Object.keys(tables).length || version === 0) throw foreign(path, version)
  if (version > MIGRATIONS.length) throw newer(path, version)
  return version
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
    `${path} has schema ${version} of a newer release; this one knows ${MIGRATIONS.length}: run npm install @grantkit/store-sqlite@latest`,
  )
}
