import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Grant, GrantRecords } from '@grantkit/core/feature'
import { cursorOf, decodeRecord, type Keys, placeOf } from '@grantkit/core/store-kit'
import { type RecordSource, type RecordStatements, recordStatements, sqliteRecords } from './records.ts'

interface GrantStatements extends RecordStatements {
  readonly bySubject: StatementSync
  readonly byOwner: StatementSync
}

/** With the columns by which grants are listed: their keys, and the time that orders a list. */
export function grantStatements(database: DatabaseSync, table: string): GrantStatements {
  const pageOf = (column: string) =>
    database.prepare(`
      SELECT id, value, created_at FROM ${table}
      WHERE ${column} = ? AND (created_at, id) < (?, ?) AND expires_at > ?
      ORDER BY created_at DESC, id DESC LIMIT ?`)
  return {
    ...recordStatements(database, table, ['subject', 'owner', 'created_at']),
    bySubject: pageOf('subject'),
    byOwner: pageOf('owner'),
  }
}

export function grantRecords(source: RecordSource, statements: GrantStatements, keys: Keys): GrantRecords {
  return {
    ...sqliteRecords<Grant>(source, statements, keys, ({ subject, clientId, createdAt }) => [
      keys.subject(subject),
      keys.subject(subject, clientId),
      createdAt,
    ]),
    async list({ subject, clientId }, { limit, after }) {
      const { order, key } = placeOf(after)
      const statement = clientId === undefined ? statements.bySubject : statements.byOwner
      const rows = statement.all(keys.subject(subject, clientId), order, key, source.now(), limit)
      const last = rows.length === limit ? rows.at(-1) : undefined
      return {
        grants: rows.map(({ value }) => decodeRecord<Grant>(String(value))),
        next: last && cursorOf({ order: Number(last.created_at), key: String(last.id) }),
      }
    },
  }
}
