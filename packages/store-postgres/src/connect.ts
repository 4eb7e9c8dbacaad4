import { IN_WORKER } from '@grantkit/core/store-kit'
import { Client, type ClientBase, type ClientConfig, DatabaseError, Pool, type PoolConfig } from 'pg'
import { answerWithin } from './attempt.ts'
import { OF_ONE_REQUEST } from './worker.ts'

export interface ConnectOptions {
  /** The maximum number of connections of this process. Default 10. In a Worker each statement has a connection of its own. */
  readonly max?: number | undefined
  /** Called when an idle connection breaks; the pool makes a new one when it needs it. */
  readonly onError?: ((error: Error) => void) | undefined
  /**
   * Called for each new connection, in place of the password of the URL: a password that rotates, a token that expires. It has
   * the second of a connection. If it throws, that connection fails with its error.
   */
  readonly password?: (() => string | Promise<string>) | undefined
}

const CONNECT_MS = 1000
const IDLE_MS = 60_000

/**
 * What Postgres ends by itself, in milliseconds, since no caller waits for it any more: a statement, a wait for a lock, the
 * transaction of a process that stands still, the statement of a process that is gone.
 */
const TIME_LIMITS = {
  statement_timeout: 1000,
  lock_timeout: 400,
  idle_in_transaction_session_timeout: 5000,
  client_connection_check_interval: 100,
}

/**
 * A pool with settings for an authorization server. Its connections lead to the primary only: a replica may not know of a
 * revocation yet. Postgres ends what takes longer than a second on them, so that no backend outlives its connection. Other
 * data of the application may use the pool too: `attempt` gives its statements a shorter limit.
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
  { max = 10, onError = () => {}, password }: ConnectOptions = {},
): Promise<Pool> {
  const config = {
    connectionString: withVerifiedTls(url),
    application_name: 'grantkit',
    max,
    connectionTimeoutMillis: CONNECT_MS,
    idleTimeoutMillis: IDLE_MS,
    keepAlive: true,
    onConnect: refuseReplica,
    ...(password && { Client: clientWith(password) }),
    ...(IN_WORKER ? OF_ONE_REQUEST : {}),
  }
  const limits = Object.entries(TIME_LIMITS).map(([name, value]) => `-c ${name}=${value}`)
  // Options here override the environment.
  const options = [...limits, process.env.PGOPTIONS].join(' ')
  return connected({ ...config, options }, onError).catch((error) => {
    if (!refusesOptions(error.cause)) throw error
    return connected(config, onError)
  })
}

/**
 * `pg` verifies the certificate in each of these modes, and warns on stderr that a later release will not. `system` would be the
 * name of a file to it: without one it takes the roots of Node.
 */
export function withVerifiedTls(url: string): string {
  if (/[?&]uselibpqcompat=true(?=&|$)/.test(url)) return url
  return url
    .replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/g, '$1verify-full')
    .replace(/([?&])sslrootcert=system(?=&|$)/, '$1sslmode=verify-full')
}

/** Next to a URL, `pg` ignores the option of the pool. */
function clientWith(password: () => string | Promise<string>): typeof Client {
  return class extends Client {
    constructor(config?: string | ClientConfig) {
      super(config)
      Object.assign(this, { password })
    }
  }
}

async function connected(config: PoolConfig, onError: (error: Error) => void): Promise<Pool> {
  const pool = new Pool(config).on('error', onError)
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

/**
 * PgBouncer takes none (protocol_violation), nor do other poolers (feature_not_supported), nor does a server whose system
 * lacks one (invalid_parameter_value) or that is another engine (undefined_object).
 */
function refusesOptions(error: unknown): boolean {
  return error instanceof DatabaseError && ['08P01', '0A000', '22023', '42704'].includes(error.code ?? '')
}

/** Where a name has several addresses, the error has no message of its own. */
function reasonOf(error: unknown): string {
  const [first] = error instanceof AggregateError ? error.errors : [error]
  return first instanceof Error ? first.message : String(first)
}

/** The pool sets no time limit here, and would count a connection for ever whose server has gone silent. */
async function refuseReplica(client: ClientBase): Promise<void> {
  const shown = client.query('SHOW transaction_read_only').catch(unlessItLacks)
  const answer = await answerWithin(CONNECT_MS, shown)
  if (answer?.rows[0].transaction_read_only === 'on')
    throw new Error('this server takes no writes; it may be a replica')
}

/** Another engine may have no such setting (undefined_object, feature_not_supported), and none of them has such replicas. */
function unlessItLacks(error: unknown): undefined {
  if (error instanceof DatabaseError && ['42704', '0A000'].includes(error.code ?? '')) return
  throw error
}
