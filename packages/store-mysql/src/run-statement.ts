import { tryTwice } from '@grantkit/core/store-kit'
import type { Pool, ResultSetHeader, RowDataPacket } from 'mysql2/promise'
import { connectionsOf } from './connections.ts'
import { type Query, type Result, sendStatement } from './send-statement.ts'

export interface Limits {
  /** Milliseconds. */
  readonly commandTimeout: number
  /** The maximum number of statements that wait for a connection. */
  readonly maxWaiting: number
}

type Values = Query['values']

export interface Written {
  readonly header: ResultSetHeader
  /** A first attempt failed. It may have been carried out. */
  readonly repeated: boolean
}

/** Runs statements within the limits, and once more if they failed: only statements that may run twice. */
export interface StatementRunner {
  read(sql: string, values: Values): Promise<readonly RowDataPacket[]>
  write(sql: string, values: Values): Promise<Written>
}

/** @throws Error from every call at once, if too many statements wait for a connection */
export function statementRunner(pool: Pool, { commandTimeout, maxWaiting }: Limits): StatementRunner {
  const connections = connectionsOf(pool)
  async function twice<T>(query: Query, use: (result: Result, repeated: boolean) => T): Promise<T> {
    if (connections.waiting() >= maxWaiting) throw new Error('Too many calls wait for a connection to MySQL')
    return tryTwice(commandTimeout, async (milliseconds, repeated) =>
      use(await sendStatement(connections, query, milliseconds), repeated),
    )
  }
  return {
    read: (sql, values) => twice({ sql, values }, (result) => result as RowDataPacket[]),
    write: (sql, values) =>
      twice({ sql, values }, (result, repeated) => ({ header: result as ResultSetHeader, repeated })),
  }
}
