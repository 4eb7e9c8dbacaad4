import type { Grant, GrantRecords } from '@grantkit/core/feature'
import { cursorOf, decodeRecord, type Keys, type Place, placeOf } from '@grantkit/core/store-kit'
import { mysqlRecords, type RecordTable } from './mysql-records.ts'

/** The columns by which grants are listed: their keys, and the time that orders a list. */
export const GRANT_COLUMNS = ['subject', 'owner', 'created_at']

export function grantRecords(table: RecordTable, keys: Keys): GrantRecords {
  const { listBySubject, listByOwner } = table.statements
  return {
    ...mysqlRecords<Grant>(table, keys, ({ subject, clientId, createdAt }) => [
      keys.subject(subject),
      keys.subject(subject, clientId),
      createdAt,
    ]),
    async list({ subject, clientId }, { limit, after }) {
      const { order, key } = placeInAscii(after)
      const where = [keys.subject(subject, clientId), order, order, key, table.now()]
      // As text: MySQL takes no DOUBLE there, which is how mysql2 may send a number.
      const values = [...where, String(limit)]
      const rows = await table.read(clientId === undefined ? listBySubject : listByOwner, values)
      const last = rows.length === limit ? rows.at(-1) : undefined
      return {
        grants: rows.map(({ value }) => decodeRecord<Grant>(value)),
        next: last && cursorOf({ order: Number(last.created_at), key: last.id }),
      }
    },
  }
}

/** Keys are ASCII. MySQL refuses to compare them with other text, which only a cursor of another maker has. */
function placeInAscii(after: string | undefined): Place {
  const place = placeOf(after)
  return /^[\w=~-]*$/.test(place.key) ? place : placeOf()
}
