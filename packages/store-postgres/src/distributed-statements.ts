import { pageText, STEP, type Statements } from './statements.ts'

/**
 * The statements for engines that divide a table among machines. Each changes one row, which is on one machine: none waits
 * for several machines, and a conflict repeats one request. None needs the READ COMMITTED of Postgres, for a
 * condition on the version holds at every level above it.
 */
export function distributedStatementsOf(table: string, columns: readonly string[]): Statements {
  const named = (name: string, text: string) => ({ name: `${table}_one_${name}`, text })
  const live = `${table}.expires_at >`
  return {
    find: named('find', `SELECT id, value, version FROM ${table} WHERE id = $1 AND ${live} $2`),
    insert: named('insert', insertText(table, columns)),
    replace: named(
      'replace',
      `UPDATE ${table} SET value = $2, version = $3, expires_at = $4, swept_from = ${dayAfter('$4')}
      WHERE id = $1 AND version IN ($3, $5) AND ${live} $6`,
    ),
    remove: named('remove', `DELETE FROM ${table} WHERE id = $1 AND ${live} $2`),
    // In the order of the database a namespace may be no range: a step reads the rows of all, and the values of one.
    scan: named(
      'scan',
      `SELECT id, CASE WHEN ${beginsWith('$2')} AND NOT ${beginsWith('$3')} THEN value END AS value FROM ${table}
      WHERE id > $1 AND ${live} $4 ORDER BY id LIMIT ${STEP}`,
    ),
    listBySubject: named('by_subject', pageText(table, 'subject')),
    listByOwner: named('by_owner', pageText(table, 'owner')),
    sweep: named('ended', `SELECT id FROM ${table} WHERE swept_from <= $1 ORDER BY swept_from LIMIT ${STEP}`),
    // Its id may have a new record since it was read.
    sweepOne: named('sweep', `DELETE FROM ${table} WHERE id = $1 AND swept_from <= $2`),
  }
}

/** `starts_with` of Postgres, in functions that every engine has. */
function beginsWith(text: string): string {
  return `left(id, length(${text}::text)) = ${text}`
}

/** The day from which the row may be swept. CockroachDB divides integers with a fraction, and Postgres without. */
function dayAfter(expiresAt: string): string {
  return `floor(${expiresAt}::bigint / 86400.0)::integer + 1`
}

/** An expired row may wait to be swept for two days, and must not block its id. */
function insertText(table: string, columns: readonly string[]): string {
  const values = columns.map((_, index) => `$${index + 1}`)
  const day = dayAfter(`$${columns.indexOf('expires_at') + 1}`)
  const written = [...columns, 'swept_from'].map((column) => `${column} = excluded.${column}`)
  return `INSERT INTO ${table} (${columns}, swept_from) VALUES (${values}, ${day})
    ON CONFLICT (id) DO UPDATE SET ${written}
    WHERE ${table}.expires_at <= $${columns.length + 1} OR ${table}.version = excluded.version`
}
