import type { Records } from '@grantkit/core/feature'
import {
  decodeRecord,
  encodeRecord,
  type Keys,
  newVersion,
  UnknownOutcomeError,
} from '@grantkit/core/store-kit'
import type { Answer } from './attempt.ts'
import { type RecordKind, ROWS_PER_PAGE, type Verb } from './statements.ts'

export type SqlValue = string | number
export type Row = Readonly<Record<string, unknown>>

/** One statement, and the key of the record that it is about. */
export interface StatementCall {
  readonly kind: RecordKind
  readonly verb: Verb
  readonly key: string
  /** In the order of the statement, after the key. */
  readonly parameters: readonly SqlValue[]
}

/** Where statements run. */
export interface StatementRunner {
  run(call: StatementCall): Promise<Answer<readonly Row[]>>
  /** The same for a statement about each part of the records, one part after the other. */
  parts(): readonly ((call: StatementCall) => Promise<Answer<readonly Row[]>>)[]
  /** Epoch seconds. */
  readonly now: () => number
}

/** @param ownColumns of a value; no replacement changes them */
export function statementRecords<T>(
  { run, parts, now }: StatementRunner,
  kind: RecordKind,
  { record: recordKey, after, before }: Keys,
  ownColumns: (value: T) => readonly SqlValue[] = () => [],
): Records<T> {
  async function isWritten(call: StatementCall): Promise<boolean> {
    const { result, repeated } = await run(call)
    // Not a lost race: the version of the first attempt may have been there, and a later write replaced it.
    if (result.length === 0 && repeated) throw new UnknownOutcomeError()
    return result.length > 0
  }

  return {
    async find(id) {
      const { result } = await run({ kind, verb: 'find', key: recordKey(id), parameters: [now()] })
      const [row] = result
      return row && { value: decodeRecord<T>(String(row.value)), version: row.version }
    },
    async insert(id, value, expiresAt) {
      const written = [newVersion(), encodeRecord(value), checkedTime(expiresAt), ...ownColumns(value)]
      return isWritten({ kind, verb: 'insert', key: recordKey(id), parameters: [...written, now()] })
    },
    async replace(id, seen, value, expiresAt) {
      const written = [newVersion(), encodeRecord(value), checkedTime(expiresAt)]
      const parameters = [...written, String(seen.version), now()]
      return isWritten({ kind, verb: 'replace', key: recordKey(id), parameters })
    },
    async remove(id) {
      const { result, repeated } = await run({
        kind,
        verb: 'remove',
        key: recordKey(id),
        parameters: [now()],
      })
      return repeated || result.length > 0
    },
    async *scan() {
      for (const part of parts()) {
        for (let last = after; ; ) {
          const { result } = await part({ kind, verb: 'page', key: last, parameters: [before, now()] })
          for (const { value } of result) yield decodeRecord<T>(String(value))
          if (result.length < ROWS_PER_PAGE) break
          last = String(result.at(-1)?.id)
        }
      }
    },
  }
}

function checkedTime(expiresAt: number): number {
  if (!Number.isSafeInteger(expiresAt)) throw new RangeError(`Not a time in epoch seconds: ${expiresAt}`)
  return expiresAt
}
