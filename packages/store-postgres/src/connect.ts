import { setTimeout as sleep } from 'node:timers/promises'
import { type ClientBase, Pool } from 'pg'
import { NoAnswerError } from './attempt.ts'

export interface ConnectOptions {
  /** The most connections of this process. Default 10. */
  readonly max?: number | undefined
  /** Called when an idle connection breaks; the pool makes a new one when it needs it. */
  readonly onError?: ((error: Error) => void) | undefined
}

const CONNECT_MS = 1000
const IDLE_MS = 60_000

/**
 * A pool with settings for an authorization server. Its connections lead to the primary only: a replica may not know of a
 * revocation yet. Other data of the application may use the pool too: `attempt` gives its statements a time limit.
 *
 * @param url `postgres://user:password@host:5432/database`
 * @throws Error when Postgres cannot be reached now
 *
 * @example
 * ```ts
 * import { connectToPostgres } from '@grantkit/store-postgres'
 *
 * const pool = await connectToPostgres('postgres://127.0.0.1/app', { onError: console.error })
 * ```
 */
export async function connectToPostgres(
  url: string,
  { max = 10, onError = () => {} }: ConnectOptions = {},
): Promise<Pool> {
  const pool = new Pool({
    connectionString: url,
    application_name: 'grantkit',
    max,
    connectionTimeoutMillis: CONNECT_MS,
    idleTimeoutMillis: IDLE_MS,
    keepAlive: true,
    onConnect: refuseReplica,
  }).on('error', onError)
  // The statement under way fails. Without a listener, the process would end too.
  pool.on('connect', (client) => client.on('error', () => {}))
  try {
    const client = await pool.connect()
    client.release()
    return pool
  } catch (cause) {
    await pool.end()
    throw new Error(`Postgres cannot be reached: ${reasonOf(cause)}`, { cause })
  }
}

/** Where a name has several addresses, the error has no message of its own. */
function reasonOf(error: unknown): string {
  const [first] = error instanceof AggregateError ? error.errors : [error]
  return first instanceof Error ? first.message : String(first)
}

/** The pool sets no time limit here, and would count a connection for ever whose server has gone silent. */
async function refuseReplica(client: ClientBase): Promise<void> {
  const silence = sleep(CONNECT_MS, undefined, { ref: false }).then(() => {
    throw new NoAnswerError(CONNECT_MS)
  })
  const { rows } = await Promise.race([client.query('SHOW transaction_read_only'), silence])
  if (rows[0].transaction_read_only === 'on')
    throw new Error('this server takes no writes; it may be a replica')
}
