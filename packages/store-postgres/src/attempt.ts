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
 * Limits the wait for an answer. Nothing is left of the limit once the answer is there.
 *
 * @throws NoAnswerError when the milliseconds are over
 *
 * @example
 * ```ts
 * import { answerWithin, connectToPostgres } from '@grantkit/store-postgres'
 *
 * const pool = await connectToPostgres('postgres://127.0.0.1/app')
 * const client = await pool.connect()
 * await answerWithin(500, client.query('BEGIN'))
 * ```
 */
export async function answerWithin<T>(milliseconds: number, answer: Promise<T>): Promise<T> {
  const silence = Promise.withResolvers<never>()
  const timer = setTimeout(() => silence.reject(new NoAnswerError(milliseconds)), milliseconds)
  try {
    return await Promise.race([answer, silence.promise])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Sends a statement to Postgres. A connection that fails is destroyed. One that does not respond in time is not used
 * until it responds, and destroyed if it never does: a new connection would be one more backend, while
 * the first one still waits, for example for a lock.
 *
 * A statement that was rolled back, because of another transaction, is repeated.
 *
 * @param milliseconds with the wait for a connection
 * @param pauses how often it is repeated, with the longest pause before each repetition in milliseconds. Default: once, at once
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
export function attempt(
  pool: Pool,
  query: QueryConfig,
  milliseconds: number,
  pauses: readonly number[] = [0],
): Promise<QueryResult> {
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
      release(!isTimeLimit(error) && !isLostToAnother(error))
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
    const send = (connection: PoolClient, [pause, ...later]: readonly number[]) =>
      connection.query(query, (error, result) => {
        if (client === undefined) return
        if (pause !== undefined && !over && isLostToAnother(error)) return again(connection, pause, later)
        if (error) return fail(error)
        release(false)
        resolve(result)
      })
    const again = (connection: PoolClient, pause: number, later: readonly number[]) => {
      if (pause === 0) return send(connection, later)
      // Those that lost together must not meet again.
      setTimeout(() => {
        if (client === undefined) return
        if (over) return release(false)
        send(connection, later)
      }, pause * Math.random())
    }
    pool.connect((error, connected) => {
      if (connected === undefined) return fail(error)
      if (over) return connected.release()
      // Without a listener, a connection that breaks would end the process.
      client = connected.on('error', fail)
      send(client, pauses)
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
