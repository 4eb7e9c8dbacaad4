import type { Records, Stored } from '@grantkit/core'
import {
  decodeRecord,
  encodeRecord,
  newVersion,
  recordKey,
  UnknownOutcomeError,
} from '@grantkit/core/store-kit'
import type { Answer, RunStatement } from './run-statement.ts'
import { STEP, type Statements } from './statements.ts'

/** The table of one kind of record. */
export interface RecordTable<T> {
  readonly statements: Statements
  /** The columns of a value, beside those of every table. */
  readonly ownColumns: (value: T) => readonly string[]
}

/** @param now epoch seconds */
export function postgresRecords<T>(
  run: RunStatement,
  { statements, ownColumns }: RecordTable<T>,
  now: () => number,
): Records<T> {
  async function find(id: string): Promise<Stored<T> | undefined> {
    const { rows } = await run(statements.find, [recordKey(id), now()])
    const [row] = rows
    return row && { value: decodeRecord<T>(row.value), version: row.version }
  }
  return {
    find,
    async insert(id, value, expiresAt) {
      const columns = [recordKey(id), newVersion(), encodeRecord(value), expiresAt, ...ownColumns(value)]
      return isWritten(await run(statements.insert, [...columns, now()]))
    },
    async replace(id, seen, value, expiresAt) {
      const values = [
        recordKey(id),
        encodeRecord(value),
        newVersion(),
        expiresAt,
        String(seen.version),
        now(),
      ]
      return isWritten(await run(statements.replace, values))
    },
    async remove(id) {
      const { count, repeated } = await run(statements.remove, [recordKey(id), now()])
      return count === 1 || repeated
    },
    async *scan() {
      let last = ''
      for (;;) {
        const { rows } = await run(statements.scan, [last, now()])
        for (const { value } of rows) yield decodeRecord<T>(value)
        if (rows.length < STEP) return
        last = rows.at(-1)?.id ?? last
      }
    },
  }
}

function isWritten({ count, repeated }: Answer): boolean {
  // Not a lost race: the version of the first attempt may have been there, and a later write replaced it.
  if (count === 0 && repeated) throw new UnknownOutcomeError()
  return count === 1
}
