import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Records } from '@grantkit/core/feature'
import { decodeRecord, encodeRecord, type Keys } from '@grantkit/core/store-kit'
import type { GroupCommit } from './group-commit.ts'

export interface RecordSource {
  readonly commits: GroupCommit
  /** Epoch seconds. */
  readonly now: () => number
  /** A version for one write, which no other write has. */
  readonly newVersion: () => string
}

/** The statements of a table, for the records of every namespace. */
export interface RecordStatements {
  readonly find: StatementSync
  readonly insert: StatementSync
  readonly replace: StatementSync
  readonly remove: StatementSync
  readonly page: StatementSync
}

/** @param names of the columns of this table alone */
export function recordStatements(
  database: DatabaseSync,
  table: string,
  names: readonly string[] = [],
): RecordStatements {
  const columns = ['id', 'version', 'value', 'expires_at', ...names]
  return {
    find: database.prepare(`SELECT value, version FROM ${table} WHERE id = ? AND expires_at > ?`),
    // An expired row that is not swept yet must not block its id.
    insert: database.prepare(`
      INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})
      ON CONFLICT (id) DO UPDATE SET ${columns.map((column) => `${column} = excluded.${column}`).join(', ')}
      WHERE ${table}.expires_at <= ?`),
    replace: database.prepare(`
      UPDATE ${table} SET version = ?, value = ?, expires_at = ? WHERE id = ? AND version = ? AND expires_at > ?`),
    remove: database.prepare(`DELETE FROM ${table} WHERE id = ? AND expires_at > ?`),
    page: database.prepare(`
      SELECT id, value FROM ${table} WHERE id > ? AND id < ? AND expires_at > ? ORDER BY id LIMIT ${ROWS_PER_PAGE}`),
  }
}

/**
 * One kind of record, one row per record, one statement per method. An expired row is gone for all of them; the sweep
 * deletes it later.
 *
 * @param ownColumns of a value, in the order of their names; no replacement changes them
 */
export function sqliteRecords<T>(
  { commits, now, newVersion }: RecordSource,
  { find, insert, replace, remove, page }: RecordStatements,
  { record: recordKey, after, before }: Keys,
  ownColumns: (value: T) => readonly (string | number)[] = () => [],
): Records<T> {
  return {
    async find(id) {
      const key = recordKey(id)
      const row = await commits.read(() => find.get(key, now()))
      return row && { value: decodeRecord<T>(String(row.value)), version: row.version }
    },
    async insert(id, value, expiresAt) {
      const written = [recordKey(id), newVersion(), encodeRecord(value), checkedTime(expiresAt)]
      const row = [...written, ...ownColumns(value)]
      return commits.write(() => insert.run(...row, now()).changes === 1)
    },
    async replace(id, seen, value, expiresAt) {
      const written = [newVersion(), encodeRecord(value), checkedTime(expiresAt)]
      const where = [recordKey(id), String(seen.version)]
      return commits.write(() => replace.run(...written, ...where, now()).changes === 1)
    },
    async remove(id) {
      const key = recordKey(id)
      return commits.write(() => remove.run(key, now()).changes === 1)
    },
    // By pages: a statement that stays open while others write would hold up the log, and fail the next write.
    async *scan() {
      for (let rows = page.all(after, before, now()); ; rows = page.all(lastId(rows), before, now())) {
        for (const { value } of rows) yield decodeRecord<T>(String(value))
        if (rows.length < ROWS_PER_PAGE) return
        await nextTurn()
      }
    },
  }
}

const ROWS_PER_PAGE = 500

/** @param rows at least one */
function lastId(rows: readonly object[]): string {
  return (rows.at(-1) as { readonly id: string }).id
}

/** A value that the table refuses would fail every write of its commit. */
function checkedTime(expiresAt: number): number {
  if (!Number.isSafeInteger(expiresAt)) throw new RangeError(`Not a time in epoch seconds: ${expiresAt}`)
  return expiresAt
}
