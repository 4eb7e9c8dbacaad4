import { DatabaseError, type Pool, type PoolClient, type QueryConfig, type QueryResult } from 'pg'

/**
 * No answer came in time. The statement may still be carried out.
 *
 * @example
 * ```ts
 * import { attempt, connectToPostgres, NoAnswerError } from '@grantkit/store-postgres'
 *
 * const pool = await connectToPostgres('postgres://127.0.0.1/app')
 * const rows = await attempt(pool, { text: 'SELECT 1' }, 500).catch((error) => {
 *   if (error instanceof NoAnswerError) return undefined
 *   throw error
 * })
 * ```
 */
export class NoAnswerError extends Error {
  constructor(milliseconds: number) {
    super(`Postgres did not answer within ${milliseconds} ms`)
    this.name = 'NoAnswerError'
  }
}

/**
 * Sends a statement to Postgres. A connection that fails or does not answer is destroyed: the pool would hand it out
 * again, and the next caller would wait behind this statement.
 *
 * @param milliseconds with the wait for a connection
 * @throws NoAnswerError when they are over; the statement may still be carried out
 *
 * @example
 * ```ts
 * import { attempt, connectToPostgres } from '@grantkit/store-postgres'
 *
 * const pool = await connectToPostgres('postgres://127.0.0.1/app')
 * const { rows } = await attempt(pool, { text: 'SELECT id FROM course WHERE year = $1', values: [2026] }, 500)
 * ```
 */
export function attempt(pool: Pool, query: QueryConfig, milliseconds: number): Promise<QueryResult> {
  return new Promise((resolve, reject) => {
    let client: PoolClient | undefined
    let over = false
    const end = (destroy: boolean) => {
      over = true
      clearTimeout(timer)
      client?.release(destroy)
      client?.off('error', fail)
    }
    const fail = (error: unknown) => {
      if (over) return
      end(true)
      reject(error)
    }
    // The answer may have come while this process stood still: it is read before the immediate runs.
    const timer = setTimeout(() => setImmediate(fail, new NoAnswerError(milliseconds)), milliseconds)
    const send = (connection: PoolClient, again: boolean) =>
      connection.query(query, (error, result) => {
        if (over) return
        if (again && isLostToAnother(error)) return send(connection, false)
        if (error) return fail(error)
        end(false)
        resolve(result)
      })
    pool.connect((error, connected) => {
      if (connected === undefined) return fail(error)
      if (over) return connected.release()
      // Without a listener, a connection that breaks would end the process.
      client = connected.on('error', fail)
      send(client, true)
    })
  })
}

/**
 * Rolled back, because of another transaction: serialization_failure, deadlock_detected. A role whose transactions are
 * SERIALIZABLE loses races this way, and finds out by whom when it tries again.
 */
function isLostToAnother(error: unknown): boolean {
  return error instanceof DatabaseError && (error.code === '40001' || error.code === '40P01')
}
