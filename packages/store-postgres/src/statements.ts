import type { Statement } from './run-statement.ts'

export interface Statements {
  readonly find: Statement
  /** Of several rows; without it each has its own `find`. */
  readonly findAll?: Statement
  readonly insert: Statement
  readonly replace: Statement
  /** Of several rows; without it each has its own `replace`. */
  readonly replaceAll?: Statement
  readonly remove: Statement
  /** A step of a scan. A row with no value is of another namespace. */
  readonly scan: Statement
  /** Of a table of grants. */
  readonly listBySubject: Statement
  readonly listByOwner: Statement
  /** Deletes a step of the rows that ended; with `sweepOne` it only reads their ids. */
  readonly sweep: Statement
  readonly sweepOne?: Statement
}

/** The rows that one step of a scan or a sweep takes. */
export const STEP = 500

/**
 * Each verb is one statement, and one transaction. Postgres locks the row for a write and then tests its condition again,
 * so READ COMMITTED is enough. The version that is written also counts as seen: a statement that is sent twice writes once.
 */
export function statementsOf(table: string, columns: readonly string[]): Statements {
  const named = (name: string, text: string) => ({ name: `${table}_${name}`, text })
  const live = `${table}.expires_at >`
  return {
    find: named('find', `SELECT id, value, version FROM ${table} WHERE id = $1 AND ${live} $2`),
    findAll: named(
      'find_all',
      `SELECT id, value, version FROM unnest($1::text[]) AS requested (id) JOIN ${table} USING (id) WHERE ${live} $2`,
    ),
    insert: named('insert', insertText(table, columns)),
    replace: named(
      'replace',
      `UPDATE ${table} SET value = $2, version = $3, expires_at = $4
      WHERE id = $1 AND version IN ($3, $5) AND ${live} $6`,
    ),
    replaceAll: named('replace_all', replaceAllText(table)),
    remove: named('remove', `DELETE FROM ${table} WHERE id = $1 AND ${live} $2`),
    scan: named(
      'scan',
      `SELECT id, value FROM ${table} WHERE id > $1 AND id > $2 AND id < $3 AND ${live} $4 ORDER BY id LIMIT ${STEP}`,
    ),
    listBySubject: named('by_subject', pageText(table, 'subject')),
    listByOwner: named('by_owner', pageText(table, 'owner')),
    sweep: named(
      'sweep',
      `WITH gone AS (
        SELECT id FROM ${table} WHERE sweep_day <= $1 ORDER BY sweep_day LIMIT ${STEP} FOR UPDATE SKIP LOCKED
      ) DELETE FROM ${table} USING gone WHERE ${table}.id = gone.id`,
    ),
  }
}

/** The index has the same order, so that no other row is read. */
export function pageText(table: string, column: string): string {
  return `SELECT id, value, created_at FROM ${table}
    WHERE ${column} = $1 AND (created_at, id) < ($2, $3) AND expires_at > $4
    ORDER BY created_at DESC, id DESC LIMIT $5`
}

/** Nothing waits for a lock in it, so no two of these can wait for each other. */
function replaceAllText(table: string): string {
  return `WITH free AS MATERIALIZED (
      SELECT next.* FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::text[])
        AS next (id, value, version, expires_at, seen) JOIN ${table} USING (id) FOR NO KEY UPDATE OF ${table} SKIP LOCKED
    ), replaced AS (
      UPDATE ${table} SET value = free.value, version = free.version, expires_at = free.expires_at FROM free
      WHERE ${table}.id = free.id AND ${table}.version = free.seen AND ${table}.expires_at > $6
      RETURNING ${table}.id, ${table}.version
    ) SELECT id, replaced.version FROM free LEFT JOIN replaced USING (id)`
}

/** An expired row may wait to be swept for two days, and must not block its id. */
function insertText(table: string, columns: readonly string[]): string {
  const values = columns.map((_, index) => `$${index + 1}`)
  const written = columns.map((column) => `${column} = excluded.${column}`)
  return `INSERT INTO ${table} (${columns}) VALUES (${values})
    ON CONFLICT (id) DO UPDATE SET ${written}
    WHERE ${table}.expires_at <= $${columns.length + 1} OR ${table}.version = excluded.version`
}
