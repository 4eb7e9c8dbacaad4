import { tryTwice } from '@grantkit/core/store-kit'
import type { Pool } from 'pg'
import { attempt } from './attempt.ts'

export interface Limits {
  /** Milliseconds. */
  readonly commandTimeout: number
  /** The most calls that wait for a connection. */
  readonly maxWaiting: number
  /** Whether Postgres keeps the plan of each statement in each connection. */
  readonly prepare: boolean
}

export interface Statement {
  readonly name: string
  readonly text: string
}

export interface Answer {
  readonly rows: readonly Row[]
  /** The number of rows that were read, or written. */
  readonly count: number
  /** A first attempt failed. It may have been carried out. */
  readonly repeated: boolean
}

interface Row {
  readonly id: string
  readonly value: string
  readonly version: string
}

export type RunStatement = (statement: Statement, values: readonly (string | number)[]) => Promise<Answer>

/** Runs one statement, and once more if it failed: only statements that may run twice. */
export function statementRunner(pool: Pool, { commandTimeout, maxWaiting, prepare }: Limits): RunStatement {
  return async ({ name, text }, values) => {
    if (pool.waitingCount >= maxWaiting) throw new Error('Too many calls wait for a connection to Postgres')
    const query = { ...(prepare ? { name } : {}), text, values: [...values] }
    return tryTwice(commandTimeout, async (milliseconds, repeated) => {
      const { rows, rowCount } = await attempt(pool, query, milliseconds)
      return { rows, count: rowCount ?? 0, repeated }
    })
  }
}
