import type { Records, Stored } from '@grantkit/core/feature'
import {
  decodeRecord,
  encodeRecord,
  newVersion,
  recordKey,
  UnknownOutcomeError,
} from '@grantkit/core/store-kit'
import { replaceTogether } from './replace-together.ts'
import type { Answer, Row, StatementRunner } from './run-statement.ts'
import { STEP, type Statements } from './statements.ts'
import { together } from './together.ts'

/** The table of one kind of record. */
export interface RecordTable<T> {
  readonly statements: Statements
  /** The columns of a value, besides the columns of every table. */
  readonly ownColumns: (value: T) => readonly (string | number)[]
}

/** @param now epoch seconds */
export function postgresRecords<T>(
  runner: StatementRunner,
  { statements, ownColumns }: RecordTable<T>,
  now: () => number,
): Records<T> {
  const { run } = runner
  const replace = replaceTogether(runner, statements, now)
  const read = reader(runner, statements, now)
  async function find(id: string): Promise<Stored<T> | undefined> {
    const row = await read(recordKey(id))
    return row && { value: decodeRecord<T>(row.value), version: row.version }
  }
  return {
    find,
    async insert(id, value, expiresAt) {
      const columns = [recordKey(id), newVersion(), encodeRecord(value), expiresAt, ...ownColumns(value)]
      return isWritten(await run(statements.insert, [...columns, now()]))
    },
    replace: async (id, seen, value, expiresAt) =>
      replace({
        key: recordKey(id),
        value: encodeRecord(value),
        version: newVersion(),
        expiresAt,
        seen: String(seen.version),
      }),
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

/** Reads the row of a key; where the dialect can, many requests read theirs in one statement. */
function reader(
  { run }: StatementRunner,
  { find, findAll }: Statements,
  now: () => number,
): (key: string) => Promise<Row | undefined> {
  const readOne = async (key: string) => (await run(find, [key, now()])).rows
  if (findAll === undefined) return async (key) => (await readOne(key))[0]
  const read = together(async (all: readonly string[]) => {
    const keys = [...new Set(all)]
    const [alone = ''] = keys
    const rows = keys.length === 1 ? await readOne(alone) : (await run(findAll, [keys, now()])).rows
    return new Map(rows.map((row) => [row.id, row]))
  })
  return async (key) => (await read(key)).get(key)
}

function isWritten({ count, repeated }: Answer): boolean {
  // Not a lost race: the version of the first attempt may have been there, and a later write replaced it.
  if (count === 0 && repeated) throw new UnknownOutcomeError()
  return count === 1
}
