import { tryTwice } from '@grantkit/core/store-kit'
import { answerWithin, attempt } from '@grantkit/store-postgres'
import { type Dialect, PostgresDialect, type PostgresPoolClient } from 'kysely'
import { DatabaseError, type Pool, type PoolClient, type QueryResult } from 'pg'

/** Milliseconds for a query, or for both attempts of one: a request to an unresponsive server fails within a second. */
const ANSWER_MS = 900
const FIRST_ATTEMPT_MS = 500

/**
 * Kysely on the pool of `connectToPostgres`, with the same behaviour as the store in an outage. Each statement uses its
 * own connection; a read has two attempts. A transaction holds one connection, and fails with it. The pool stays open.
 */
export function pooledPostgres(pool: Pool): Dialect {
  const connect = async () => clientOf(pool) as unknown as PostgresPoolClient
  return new PostgresDialect({ pool: { options: {}, connect, end: async () => {} } })
}

function clientOf(pool: Pool) {
  let transaction: PoolClient | undefined
  let broken = false
  return {
    async query(text: string, values: readonly unknown[]): Promise<QueryResult> {
      const statement = { text, values: values.map(acceptable) }
      if (/^(begin|start)\b/.test(text)) transaction = await pool.connect()
      if (transaction === undefined) return single(pool, statement)
      return answerWithin(ANSWER_MS, transaction.query(statement)).catch((error: unknown) => {
        broken ||= !(error instanceof DatabaseError)
        throw error
      })
    },
    release: (destroy = false) => transaction?.release(destroy || broken),
  }
}

/** Postgres accepts no NUL in a text, and callers send any. So no text that is stored or looked up has one. */
function acceptable(value: unknown): unknown {
  return typeof value === 'string' ? value.replaceAll('\0', '\ufffd') : value
}

function single(pool: Pool, statement: { text: string; values: unknown[] }): Promise<QueryResult> {
  const send = (milliseconds: number) => attempt(pool, statement, milliseconds)
  return /^select\b/.test(statement.text) ? tryTwice(FIRST_ATTEMPT_MS, send) : send(ANSWER_MS)
}
