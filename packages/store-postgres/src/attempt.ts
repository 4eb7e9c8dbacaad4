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
 * Sends a statement to Postgres. A connection that fails is destroyed. One that does not respond in time is not used
 * until it responds, and destroyed if it never does: a new connection would be one more backend, while
 * the first one still waits, for example for a lock.
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
    const release = (destroy: boolean) => {
      over = true
      clearTimeout(timer)
      client?.off('error', fail)
      client?.release(destroy)
      client = undefined
    }
    const fail = (error: unknown) => {
      release(!isTimeLimit(error))
      reject(error)
    }
    const giveUp = () => {
      if (over) return
      over = true
      if (client !== undefined) timer = setTimeout(release, SILENCE_MS, true)
      reject(new NoAnswerError(milliseconds))
    }
    // The answer may have come while this process stood still: it is read before the immediate runs.
    let timer = setTimeout(() => setImmediate(giveUp), milliseconds)
    const send = (connection: PoolClient, again: boolean) =>
      connection.query(query, (error, result) => {
        if (client === undefined) return
        if (again && !over && isLostToAnother(error)) return send(connection, false)
        if (error) return fail(error)
        release(false)
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

/** Milliseconds for the response to a statement that timed out. Postgres ends it within `statement_timeout`. */
const SILENCE_MS = 1250

/** Of Postgres itself, on a connection that is as good as before: lock_not_available, query_canceled. */
function isTimeLimit(error: unknown): boolean {
  return error instanceof DatabaseError && (error.code === '55P03' || error.code === '57014')
}

/**
 * Rolled back, because of another transaction: serialization_failure, deadlock_detected. A role whose transactions are
 * SERIALIZABLE loses races this way, and finds the winner's record when it tries again.
 */
function isLostToAnother(error: unknown): boolean {
  return error instanceof DatabaseError && (error.code === '40001' || error.code === '40P01')
}
