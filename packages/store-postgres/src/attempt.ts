import { DatabaseError, type Pool, type PoolClient, type QueryConfig, type QueryResult } from 'pg'

/** No answer came in time. The statement may still be carried out. */
export class NoAnswerError extends Error {
  constructor(milliseconds: number) {
    super(`Postgres did not answer within ${milliseconds} ms`)
    this.name = 'NoAnswerError'
  }
}

/**
 * Sends a statement to Postgres. The time limit covers the wait for a connection too. A connection that fails or does
 * not answer is destroyed: the pool would hand it out again, and the next caller would wait for its answer.
 */
export function attempt(pool: Pool, query: QueryConfig, milliseconds: number): Promise<QueryResult> {
  return new Promise((resolve, reject) => {
    let client: PoolClient | undefined
    let over = false
    const end = (error?: unknown) => {
      over = true
      clearTimeout(timer)
      client?.release(error !== undefined)
      client?.off('error', fail)
    }
    const fail = (error: unknown) => {
      if (over) return
      end(error)
      reject(error)
    }
    const timer = setTimeout(() => fail(new NoAnswerError(milliseconds)), milliseconds)
    const use = async (connected: PoolClient) => {
      if (over) return connected.release()
      // Without a listener, a connection that breaks would end the process.
      client = connected.on('error', fail)
      const result = await send(client, query)
      if (over) return
      end()
      resolve(result)
    }
    pool.connect().then(use).catch(fail)
  })
}

/** Rolled back, because of another transaction: serialization_failure, deadlock_detected. */
const LOST_TO_ANOTHER = ['40001', '40P01']

/** A role whose transactions are SERIALIZABLE loses races by an error, and finds out why when it tries again. */
async function send(client: PoolClient, query: QueryConfig): Promise<QueryResult> {
  try {
    return await client.query(query)
  } catch (error) {
    if (!(error instanceof DatabaseError) || !LOST_TO_ANOTHER.includes(error.code ?? '')) throw error
    return client.query(query)
  }
}
