import type { Store } from '@grantkit/core'
import type { Client, Grant, GrantRecords, Transient, Transients } from '@grantkit/core/feature'
import {
  cursorOf,
  decodeRecord,
  IN_WORKER,
  type Keys,
  keysOf,
  onceAMinute,
  placeOf,
} from '@grantkit/core/store-kit'
import type { Pool } from 'pg'
import { type DialectName, dialectOf } from './dialect.ts'
import { postgresRecords, type RecordTable, recordTable } from './postgres-records.ts'
import { statementRunner } from './run-statement.ts'
import { requireSchema } from './schema.ts'
import { sweep } from './sweep.ts'
import { tablesOf } from './tables.ts'
import { refuseSharedConnections } from './worker.ts'

export interface PostgresStoreOptions {
  /** Prefix of every table: `[a-z_]{1,32}`. Default `grantkit_`. */
  readonly prefix?: string | undefined
  /**
   * Time limit of a statement in milliseconds, with the wait for a connection; after that Postgres counts as unreachable.
   * A statement is repeated once, with half the limit. Default 500.
   */
  readonly commandTimeout?: number | undefined
  /** The maximum number of statements that wait for a connection; further ones fail at once. Default 1000. */
  readonly maxWaiting?: number | undefined
  /**
   * Whether Postgres prepares each statement once for each connection. Switch it off behind a PgBouncer in transaction mode
   * that is older than 1.21 or has no `max_prepared_statements`. Default true, and false in a Worker.
   */
  readonly prepare?: boolean | undefined
  /**
   * `distributed` for an engine that speaks the protocol of Postgres and divides tables among machines. `migrate` takes it, too.
   * Default `postgres`.
   */
  readonly dialect?: DialectName | undefined
  /** Deletes expired rows about once a minute. Default true, and false in a Worker; then call `sweep` yourself. */
  readonly sweeping?: boolean | undefined
  /** The time in epoch seconds. Default: the system clock. */
  readonly now?: (() => number) | undefined
}

export interface PostgresStore extends Store {
  readonly transients: Transients
  within(namespace: string): Store
  /** Deletes rows that expired on a day before this one (UTC) and an hour ago, and returns how many. */
  sweep(): Promise<number>
  /** Ends the sweeping. The pool stays open. */
  close(): void
}

/**
 * A store in Postgres, shared by all processes with the same database.
 *
 * @param pool of `connectToPostgres`, or one of your own
 * @throws Error that says what to do, if the tables are missing, older, newer, or not Grantkit's, or if a Worker would share the
 *   connections of the pool among requests
 *
 * @example
 * ```ts
 * import { connectToPostgres, createPostgresStore, migrate } from '@grantkit/store-postgres'
 *
 * const pool = await connectToPostgres('postgres://127.0.0.1/app')
 * await migrate(pool)
 * const store = await createPostgresStore(pool)
 * ```
 */
export async function createPostgresStore(
  pool: Pool,
  {
    prefix,
    commandTimeout = 500,
    maxWaiting = 1000,
    prepare = !IN_WORKER,
    dialect,
    sweeping = !IN_WORKER,
    now = () => Math.floor(Date.now() / 1000),
  }: PostgresStoreOptions = {},
): Promise<PostgresStore> {
  const tables = tablesOf(prefix)
  refuseSharedConnections(pool)
  const spoken = dialectOf(dialect)
  // An idle connection that breaks would end the process.
  if (pool.listenerCount('error') === 0) pool.on('error', () => {})
  await requireSchema(pool, tables, spoken)
  const runner = statementRunner(pool, { commandTimeout, maxWaiting, prepare, pauses: spoken.pauses })
  const tableOf = (table: string, columns: readonly string[] = []) =>
    recordTable(runner, spoken.statementsOf(table, [...COLUMNS, ...columns]), now)
  const clients = tableOf(tables.client)
  const grants = tableOf(tables.grant, ['subject', 'owner', 'created_at'])
  const transients = tableOf(tables.transient)
  const recordsOf = (keys: Keys) => ({
    clients: postgresRecords<Client>(clients, keys),
    grants: grantRecords(grants, keys),
    transients: postgresRecords<Transient>(transients, keys),
  })
  const sweepNow = () =>
    sweep(
      runner.run,
      [clients, grants, transients].map(({ statements }) => statements),
      now(),
    )
  return {
    ...recordsOf(keysOf()),
    within: (namespace) => recordsOf(keysOf(namespace)),
    sweep: sweepNow,
    close: sweeping ? onceAMinute(sweepNow) : () => {},
  }
}

function grantRecords(table: RecordTable, keys: Keys): GrantRecords {
  const { run, statements, now } = table
  return {
    ...postgresRecords<Grant>(table, keys, ({ subject, clientId, createdAt }) => [
      keys.subject(subject),
      keys.subject(subject, clientId),
      createdAt,
    ]),
    async list({ subject, clientId }, { limit, after }) {
      const { listBySubject, listByOwner } = statements
      const { order, key } = placeOf(after)
      const parameters = [keys.subject(subject, clientId), order, key, now(), limit]
      const { rows } = await run(clientId === undefined ? listBySubject : listByOwner, parameters)
      const last = rows.length === limit ? rows.at(-1) : undefined
      return {
        grants: rows.map(({ value }) => decodeRecord<Grant>(value)),
        next: last && cursorOf({ order: Number(last.created_at), key: last.id }),
      }
    },
  }
}

const COLUMNS = ['id', 'version', 'value', 'expires_at']
