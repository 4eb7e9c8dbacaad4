import { READ_ONLY } from './read-only.ts'

export interface Statements {
  readonly find: string
  readonly insert: string
  readonly replace: string
  readonly remove: string
  readonly scan: string
  /** Of a table of grants. */
  readonly listBySubject: string
  readonly listByOwner: string
  readonly sweep: string
}

/** The rows that one step of a scan or a sweep takes. */
export const STEP = 500

/** What a write that carries it out or refuses it leaves in `insertId`. */
export const [WRITTEN, REFUSED] = [1, 2]

/**
 * Each verb is one statement, and one transaction. InnoDB locks the row for a write and tests its condition on what is
 * committed, at every isolation level. The version that is written also counts as seen: a statement that is sent twice
 * writes once.
 *
 * `affectedRows` depends on a flag of the client, so a write names its outcome by `LAST_INSERT_ID(…)`: the answer has it as
 * `insertId`. To read the version again would be one more round trip, and unclear if another write has followed.
 *
 * @param milliseconds after which the server gives a statement up
 */
export function statementsOf(table: string, columns: readonly string[], milliseconds: number): Statements {
  const { reads, writes } = timeLimits(milliseconds)
  const read = (names: string) => `${reads.before} SELECT ${reads.hint} ${names}, ${READ_ONLY} FROM ${table}`
  return {
    find: `${read('value, version')} WHERE id = ? AND expires_at > ?`,
    insert: `${writes} ${insertText(table, columns)}`,
    replace: `${writes} UPDATE ${table} SET version = ?, value = ?, expires_at = ? + 0 * LAST_INSERT_ID(${WRITTEN})
      WHERE id = ? AND version IN (?, ?) AND expires_at > ?`,
    remove: `${writes} DELETE FROM ${table} WHERE id = ? AND expires_at > ?`,
    scan: `${read('id, value')} WHERE id > ? AND id < ? AND expires_at > ? ORDER BY id LIMIT ${STEP}`,
    listBySubject: pageText(read('id, value, created_at'), table, 'subject'),
    listByOwner: pageText(read('id, value, created_at'), table, 'owner'),
    sweep: `${writes} DELETE FROM ${table} WHERE sweep_day <= ? ORDER BY sweep_day LIMIT ${STEP}`,
  }
}

/**
 * MariaDB runs the text after `M!`, MySQL the hint, and each reads the other as a comment. They are for one statement, so
 * the session of the application keeps its settings. MySQL ends no write, only its wait for a lock.
 */
function timeLimits(milliseconds: number) {
  const before = `/*M!100100 SET STATEMENT max_statement_time = ${milliseconds / 1000} FOR */`
  return { reads: { before, hint: `/*+ MAX_EXECUTION_TIME(${milliseconds}) */` }, writes: before }
}

/**
 * The index has the same order, so that no other row is read. `(created_at, id) < (?, ?)` would use none, and without FORCE
 * the server reads a list from its start.
 */
function pageText(read: string, table: string, column: string): string {
  return `${read} FORCE INDEX (${table}_by_${column})
    WHERE ${column} = ? AND (created_at < ? OR (created_at = ? AND id < ?)) AND expires_at > ?
    ORDER BY created_at DESC, id DESC LIMIT ?`
}

/**
 * An expired row may wait to be swept for two days, and must not block its id. Assignments run from left to right, so
 * `expires_at` is the last one: it decides whether the row is free.
 */
function insertText(table: string, columns: readonly string[]): string {
  const isFree = `expires_at <= ? OR version = VALUES(version)`
  const changing = columns.filter((column) => column !== 'id' && column !== 'expires_at')
  const written = changing.map((column) => `${column} = IF(${isFree}, VALUES(${column}), ${column})`)
  const outcome = `LAST_INSERT_ID(IF(${isFree}, ${WRITTEN}, ${REFUSED}))`
  return `INSERT INTO ${table} (${changing.join(', ')}, id, expires_at)
    VALUES (${changing.map(() => '?').join(', ')}, ?, ? + 0 * LAST_INSERT_ID(${WRITTEN}))
    ON DUPLICATE KEY UPDATE ${written.join(', ')},
      expires_at = IF(${outcome} = ${WRITTEN}, VALUES(expires_at), expires_at)`
}
