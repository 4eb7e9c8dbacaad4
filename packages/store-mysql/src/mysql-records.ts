import type { Records } from '@grantkit/core/feature'
import {
  decodeRecord,
  encodeRecord,
  type Keys,
  newVersion,
  UnknownOutcomeError,
} from '@grantkit/core/store-kit'
import type { StatementRunner, Written } from './run-statement.ts'
import { REFUSED, STEP, type Statements, WRITTEN } from './statements.ts'

/** The table of one kind of record, and how it is called. */
export interface RecordTable extends StatementRunner {
  readonly statements: Statements
  /** Epoch seconds. */
  readonly now: () => number
}

/** @param ownColumns of a value, besides the columns of every table */
export function mysqlRecords<T>(
  { read, write, statements, now }: RecordTable,
  { record: recordKey, after, before }: Keys,
  ownColumns: (value: T) => readonly (string | number)[] = () => [],
): Records<T> {
  return {
    async find(id) {
      const [row] = await read(statements.find, [recordKey(id), now()])
      return row && { value: decodeRecord<T>(row.value), version: row.version }
    },
    async insert(id, value, expiresAt) {
      const columns = [newVersion(), asciiRecord(value), ...ownColumns(value)]
      const conditions = Array<number>(columns.length + 1).fill(now())
      return isWritten(await write(statements.insert, [...columns, recordKey(id), expiresAt, ...conditions]))
    },
    async replace(id, seen, value, expiresAt) {
      const version = newVersion()
      const written = [version, asciiRecord(value), expiresAt]
      const where = [recordKey(id), version, String(seen.version), now()]
      return isWritten(await write(statements.replace, [...written, ...where]))
    },
    async remove(id) {
      const { header, repeated } = await write(statements.remove, [recordKey(id), now()])
      return header.affectedRows === 1 || repeated
    },
    async *scan() {
      let last = after
      for (;;) {
        const rows = await read(statements.scan, [last, before, now()])
        for (const { value } of rows) yield decodeRecord<T>(value)
        if (rows.length < STEP) return
        last = rows.at(-1)?.id
      }
    },
  }
}

function isWritten({ header: { insertId, affectedRows }, repeated }: Written): boolean {
  const outcome = Number(insertId)
  if (outcome === WRITTEN) return true
  // A proxy may have dropped it.
  if (outcome !== REFUSED && affectedRows > 0) throw new Error('MySQL did not report LAST_INSERT_ID')
  // Not a lost race: the version of the first attempt may have been there, and a later write replaced it.
  if (repeated) throw new UnknownOutcomeError()
  return false
}

/** The same JSON in ASCII, which every character set of a connection has: in `utf8mb3`, say, an emoji would become `?`. */
function asciiRecord(value: unknown): string {
  return encodeRecord(value).replace(/[\u007f-\uffff]/g, escaped)
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
