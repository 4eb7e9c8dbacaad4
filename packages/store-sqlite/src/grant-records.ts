import type { Grant, GrantRecords } from '@grantkit/core/feature'
import { cursorOf, decodeRecord, placeOf, subjectKey } from '@grantkit/core/store-kit'
import { type RecordSource, sqliteRecords } from './records.ts'

/** The grants, with the columns by which they are listed: their keys, and the time that orders a list. */
export function grantRecords(source: RecordSource, table: string): GrantRecords {
  const columns = ['subject', 'owner', 'created_at']
  const pageOf = (column: string) =>
    source.database.prepare(`
      SELECT id, value, created_at FROM ${table}
      WHERE ${column} = ? AND (created_at, id) < (?, ?) AND expires_at > ?
      ORDER BY created_at DESC, id DESC LIMIT ?`)
  const [bySubject, byOwner] = [pageOf('subject'), pageOf('owner')]
  return {
    ...sqliteRecords<Grant>(source, table, columns, ({ subject, clientId, createdAt }) => [
      subjectKey(subject),
      subjectKey(subject, clientId),
      createdAt,
    ]),
    async list({ subject, clientId }, { limit, after }) {
      const { order, key } = placeOf(after)
      const statement = clientId === undefined ? bySubject : byOwner
      const rows = statement.all(subjectKey(subject, clientId), order, key, source.now(), limit)
      const last = rows.length === limit ? rows.at(-1) : undefined
      return {
        grants: rows.map(({ value }) => decodeRecord<Grant>(String(value))),
        next: last && cursorOf({ order: Number(last.created_at), key: String(last.id) }),
      }
    },
  }
}
