import { tryTwice } from '@grantkit/core/store-kit'
import type { Pool } from 'pg'
import { attempt } from './attempt.ts'

export interface Limits {
  /** Milliseconds. */
  readonly commandTimeout: number
  /** The maximum number of statements that wait for a connection. */
  readonly maxWaiting: number
  /** Whether Postgres keeps the plan of each statement in each connection. */
  readonly prepare: boolean
  /** As for `attempt`. */
  readonly pauses: readonly number[]
}

export interface Statement {
  readonly name: string
  readonly text: string
}

interface Found {
  readonly rows: readonly Row[]
  /** The number of rows that were read, or written. */
  readonly count: number
}

export interface Answer extends Found {
  /** A first attempt failed. It may have been carried out. */
  readonly repeated: boolean
}

export interface Row {
  readonly id: string
  readonly value: string
  readonly version: string
  /** Of a grant in a list; `pg` reads a `bigint` as text. */
  readonly created_at: string
}

type Value = string | number
/** A list is one parameter: an array. */
type Parameters = readonly (Value | readonly Value[])[]

/** Runs statements within the limits. */
export interface StatementRunner {
  /** Runs one statement, and once more if it failed: only statements that may run twice. */
  run(statement: Statement, values: Parameters): Promise<Answer>
  /** Runs one statement once. @param milliseconds its time limit; default `commandTimeout` */
  runOnce(statement: Statement, values: Parameters, milliseconds?: number): Promise<Found>
  /** Makes a call, and once more if it failed. @throws Error at once, if too many statements wait */
  twice<T>(call: (milliseconds: number, repeated: boolean) => Promise<T>): Promise<T>
}

export type RunStatement = StatementRunner['run']

export function statementRunner(
  pool: Pool,
  { commandTimeout, maxWaiting, prepare, pauses }: Limits,
): StatementRunner {
  async function runOnce({ name, text }: Statement, values: Parameters, milliseconds = commandTimeout) {
    const query = { ...(prepare ? { name } : {}), text, values: [...values] }
    const { rows, rowCount } = await attempt(pool, query, milliseconds, pauses)
    return { rows, count: rowCount ?? 0 }
  }

  const twice: StatementRunner['twice'] = async (call) => {
    if (pool.waitingCount >= maxWaiting) throw new Error('Too many calls wait for a connection to Postgres')
    return tryTwice(commandTimeout, call)
  }

  return {
    runOnce,
    twice,
    run: (statement, values) =>
      twice(async (milliseconds, repeated) => {
        const found = await runOnce(statement, values, milliseconds)
        return { ...found, repeated }
      }),
  }
}
