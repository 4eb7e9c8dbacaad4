import type { PoolConnection, ResultSetHeader, RowDataPacket } from 'mysql2/promise'
import { type Connections, destroy } from './connections.ts'
import { PLAIN_ROWS } from './plain-rows.ts'
import { isReadOnly, named, ReadOnlyServerError } from './read-only.ts'
import { isServerError } from './server-errors.ts'

/** No answer came in time. The statement may still be carried out. */
class NoAnswerError extends Error {
  constructor(milliseconds: number) {
    super(`MySQL did not answer within ${milliseconds} ms`)
    this.name = 'NoAnswerError'
  }
}

export interface Query {
  readonly sql: string
  readonly values: readonly (string | number)[]
}

/** The rows of a statement that reads, or what the server says about a write. */
export type Result = RowDataPacket[] | ResultSetHeader

/**
 * Sends a statement. A connection that fails is destroyed. One that does not respond in time is not used until it responds,
 * and destroyed if it never does: a new connection would be one more thread of the server, while the first one still waits,
 * for example for a lock.
 *
 * @param milliseconds with the wait for a connection
 * @throws NoAnswerError when they are over; the statement may still be carried out
 */
export function sendStatement({ borrow }: Connections, query: Query, milliseconds: number): Promise<Result> {
  return new Promise((resolve, reject) => {
    let connection: PoolConnection | undefined
    let over = false
    const giveBack = (isUsable: boolean) => {
      over = true
      clearTimeout(timer)
      if (isUsable) connection?.release()
      else if (connection !== undefined) destroy(connection)
      connection = undefined
    }
    const giveUp = () => {
      if (over) return
      over = true
      if (connection !== undefined) timer = setTimeout(giveBack, SILENCE_MS, false)
      reject(new NoAnswerError(milliseconds))
    }
    // The answer may have come while this process stood still: it is read before the immediate runs.
    let timer = setTimeout(() => setImmediate(giveUp), milliseconds)
    const work = async () => {
      const borrowed = await borrow()
      if (over) return borrowed.release()
      connection = borrowed
      const result = await sendTwice(borrowed, query, () => over)
      giveBack(true)
      resolve(result)
    }
    work().catch((error: unknown) => {
      giveBack(isServerError(error, 'timeLimit') || isServerError(error, 'lostToAnother'))
      reject(named(error))
    })
  })
}

/** Milliseconds for the response to a statement that timed out. MariaDB ends it within its time limit. */
const SILENCE_MS = 1250

/**
 * Sends a statement, and once more if it was rolled back because of another transaction. READ COMMITTED then locks no gaps
 * and keeps to no snapshot; it is for the next transaction alone, and leaves the session of the application as it is.
 */
async function sendTwice(connection: PoolConnection, query: Query, isOver: () => boolean): Promise<Result> {
  try {
    return await send(connection, query)
  } catch (error) {
    if (isOver() || !isServerError(error, 'lostToAnother')) throw error
    await connection.query('SET TRANSACTION ISOLATION LEVEL READ COMMITTED')
    return send(connection, query)
  }
}

/** Prepared: no text of a value can become SQL, whatever `sql_mode` and character set the connection has. */
async function send(connection: PoolConnection, { sql, values }: Query): Promise<Result> {
  const [result] = await connection.execute<RowDataPacket[] | ResultSetHeader>({ sql, ...PLAIN_ROWS }, [
    ...values,
  ])
  if (Array.isArray(result)) {
    if (isReadOnly(result[0])) throw new ReadOnlyServerError()
  } else if ((result.serverStatus & IN_TRANSACTION) !== 0) {
    // To destroy the connection rolls it back.
    throw new Error('A connection of the pool was in a transaction, so the write was not committed')
  }
  return result
}

/** SERVER_STATUS_IN_TRANS of the protocol. */
const IN_TRANSACTION = 1
