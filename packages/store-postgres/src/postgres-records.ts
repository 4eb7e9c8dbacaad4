import type { Records, Stored } from '@grantkit/core/feature'
import {
  decodeRecord,
  encodeRecord,
  type Keys,
  newVersion,
  UnknownOutcomeError,
} from '@grantkit/core/store-kit'
import { type Replacement, replaceTogether } from './replace-together.ts'
import type { Answer, Row, RunStatement, StatementRunner } from './run-statement.ts'
import { STEP, type Statements } from './statements.ts'
import { together } from './together.ts'

/** The table of one kind of record: the requests of all namespaces share its statements. */
export interface RecordTable {
  readonly run: RunStatement
  readonly statements: Statements
  readonly read: (key: string) => Promise<Row | undefined>
  readonly replace: (one: Replacement) => Promise<boolean>
  /** Epoch seconds. */
  readonly now: () => number
}

export function recordTable(runner: StatementRunner, statements: Statements, now: () => number): RecordTable {
  const read = reader(runner, statements, now)
  return { run: runner.run, statements, read, replace: replaceTogether(runner, statements, now), now }
}

/** @param ownColumns of a value, besides the columns of every table */
export function postgresRecords<T>(
  { run, statements, read, replace, now }: RecordTable,
  { record: recordKey, after, before }: Keys,
  ownColumns: (value: T) => readonly (string | number)[] = () => [],
): Records<T> {
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
        const { rows } = await run(statements.scan, [last, after, before, now()])
        for (const { value } of rows) if (value !== null) yield decodeRecord<T>(value)
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
