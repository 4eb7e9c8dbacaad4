import { setTimeout as sleep } from 'node:timers/promises'
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

/** Long enough to connect again, and short compared with the time limit. */
const PAUSE_MS = 50

/**
 * Runs one statement, and once more if it failed: only statements that may run twice. The second attempt has half the
 * time, so that a request to a silent Postgres is answered within a second.
 */
export function statementRunner(pool: Pool, { commandTimeout, maxWaiting, prepare }: Limits): RunStatement {
  return async ({ name, text }, values) => {
    if (pool.waitingCount >= maxWaiting) throw new Error('Too many calls wait for a connection to Postgres')
    const query = { ...(prepare ? { name } : {}), text, values: [...values] }
    const answer = async (milliseconds: number, repeated: boolean): Promise<Answer> => {
      const { rows, rowCount } = await attempt(pool, query, milliseconds)
      return { rows, count: rowCount ?? 0, repeated }
    }
    try {
      return await answer(commandTimeout, false)
    } catch {
      await sleep(PAUSE_MS * (1 + Math.random()))
      return answer(commandTimeout / 2, true)
    }
  }
}
