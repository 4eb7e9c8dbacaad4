import { setTimeout as sleep } from 'node:timers/promises'
import { tryTwice } from '@grantkit/core/store-kit'
import { attempt, NoAnswerError } from '@grantkit/store-postgres'
import { type Dialect, PostgresDialect, type PostgresPoolClient } from 'kysely'
import { DatabaseError, type Pool, type PoolClient, type QueryResult } from 'pg'

/** Milliseconds for one answer, or for both attempts at one: a request to a silent server fails within a second. */
const ANSWER_MS = 900
const FIRST_ATTEMPT_MS = 500

/**
 * Kysely on the pool of `connectToPostgres`, with the behaviour of the store in an outage. A statement takes a connection
 * and gives it back; one that only reads has two attempts. A transaction keeps a connection, and fails with it. The pool
 * stays open.
 */
export function pooledPostgres(pool: Pool): Dialect {
  const connect = async () => clientOf(pool) as unknown as PostgresPoolClient
  return new PostgresDialect({ pool: { options: {}, connect, end: async () => {} } })
}

function clientOf(pool: Pool) {
  let kept: PoolClient | undefined
  let broken = false
  return {
    async query(text: string, values: readonly unknown[]): Promise<QueryResult> {
      const statement = { text, values: [...values] }
      if (/^(begin|start)\b/.test(text)) kept = await pool.connect()
      if (kept === undefined) return single(pool, statement)
      return within(ANSWER_MS, kept.query(statement)).catch((error: unknown) => {
        broken ||= !(error instanceof DatabaseError)
        throw error
      })
    },
    release: (destroy = false) => kept?.release(destroy || broken),
  }
}

function single(pool: Pool, statement: { text: string; values: unknown[] }): Promise<QueryResult> {
  const send = (milliseconds: number) => attempt(pool, statement, milliseconds)
  return /^select\b/.test(statement.text) ? tryTwice(FIRST_ATTEMPT_MS, send) : send(ANSWER_MS)
}

async function within<T>(milliseconds: number, answer: Promise<T>): Promise<T> {
  const silence = sleep(milliseconds, undefined, { ref: false }).then(() => {
    throw new NoAnswerError(milliseconds)
  })
  return Promise.race([answer, silence])
}
