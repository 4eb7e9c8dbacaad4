import { tableNames } from '@grantkit/core/store-kit'

/** The statements of both stores. No text of a request reaches them: it is bound. */

export type RecordKind = 'client' | 'grant' | 'transient'
export type Verb = 'find' | 'insert' | 'replace' | 'remove' | 'page'
export interface SweepStatements {
  readonly lastOfSweep: string
  readonly sweep: string
  /** The key of any row. Without it keys are hashes, so any text is as good. */
  readonly anyKey?: string
}
export type Statements = Readonly<Record<Verb, string>> & SweepStatements

export const TABLES = tableNames()

/** Rows of one step of a scan. */
export const ROWS_PER_PAGE = 500
/** Rows that one step of a sweep reads. */
const ROWS_PER_SWEEP = 2000

/**
 * No index of the end: it would cost a written row for each insert, and a written row costs as much as a thousand that are
 * read. A sweep reads the table instead.
 *
 * @param columns of a kind, each with its comma
 */
export function recordTable(table: string, columns = ''): string {
  return `CREATE TABLE IF NOT EXISTS ${table} (
  id TEXT PRIMARY KEY,
  version TEXT NOT NULL,
  value TEXT NOT NULL,
  expires_at INTEGER NOT NULL${columns}
) STRICT`
}

/**
 * A write names its version, and finds its own version again when it is sent twice.
 *
 * @param columns of a kind, which no replacement changes
 */
export function recordStatements(table: string, columns: readonly string[] = []): Statements {
  const written = ['id', 'version', 'value', 'expires_at', ...columns]
  const places = written.map((_, at) => `?${at + 1}`)
  return {
    find: `SELECT value, version FROM ${table} WHERE id = ?1 AND expires_at > ?2`,
    // An expired row that is not swept yet must not block its id.
    insert: `
      INSERT INTO ${table} (${written.join(', ')}) VALUES (${places.join(', ')})
      ON CONFLICT (id) DO UPDATE SET ${written.map((name) => `${name} = excluded.${name}`).join(', ')}
      WHERE ${table}.expires_at <= ?${written.length + 1} OR ${table}.version = excluded.version
      RETURNING id`,
    replace: `
      UPDATE ${table} SET version = ?2, value = ?3, expires_at = ?4
      WHERE id = ?1 AND version IN (?5, ?2) AND expires_at > ?6
      RETURNING id`,
    remove: `DELETE FROM ${table} WHERE id = ?1 AND expires_at > ?2 RETURNING id`,
    page: `
      SELECT id, value FROM ${table} WHERE id > ?1 AND id < ?2 AND expires_at > ?3 ORDER BY id LIMIT ${ROWS_PER_PAGE}`,
    ...sweepStatements(table, 'id'),
    anyKey: `
      SELECT id FROM ${table}
      WHERE rowid >= (SELECT (random() & 0x7fffffffffffffff) % (max(rowid) + 1) FROM ${table}) ORDER BY rowid LIMIT 1`,
  }
}

/** One step of a sweep: the last key of the next rows, and the deletion of what ended up to it. */
export function sweepStatements(table: string, key: string): SweepStatements {
  const next = `SELECT ${key} FROM ${table} WHERE ${key} > ?1 ORDER BY ${key} LIMIT ${ROWS_PER_SWEEP}`
  return {
    lastOfSweep: `SELECT max(${key}) AS last FROM (${next})`,
    sweep: `DELETE FROM ${table} WHERE ${key} > ?1 AND ${key} <= ?2 AND expires_at <= ?3 RETURNING 1 AS gone`,
  }
}
