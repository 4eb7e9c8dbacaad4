import type { Grant, GrantRecords } from '@grantkit/core/feature'
import { cursorOf, decodeRecord, type Place, placeOf, subjectKey } from '@grantkit/core/store-kit'
import { mysqlRecords, type RecordTable } from './mysql-records.ts'
import type { StatementRunner } from './run-statement.ts'

/** The columns by which grants are listed: their keys, and the time that orders a list. */
export const GRANT_COLUMNS = ['subject', 'owner', 'created_at']

/** The values of `GRANT_COLUMNS`. */
export function grantColumns({ subject, clientId, createdAt }: Grant): readonly (string | number)[] {
  return [subjectKey(subject), subjectKey(subject, clientId), createdAt]
}

/** @param now epoch seconds */
export function grantRecords(
  runner: StatementRunner,
  table: RecordTable<Grant>,
  now: () => number,
): GrantRecords {
  const { listBySubject, listByOwner } = table.statements
  return {
    ...mysqlRecords(runner, table, now),
    async list({ subject, clientId }, { limit, after }) {
      const { order, key } = placeInAscii(after)
      const where = [subjectKey(subject, clientId), order, order, key, now()]
      // As text: MySQL takes no DOUBLE there, which is how mysql2 may send a number.
      const values = [...where, String(limit)]
      const rows = await runner.read(clientId === undefined ? listBySubject : listByOwner, values)
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
  return /^[\w=-]*$/.test(place.key) ? place : placeOf()
}
