import type { Store } from '@grantkit/core'
import type { Client, Transient, Transients } from '@grantkit/core/feature'
import { type Keys, keysOf, onceAMinute } from '@grantkit/core/store-kit'
import type { Pool } from 'mysql2/promise'
import { GRANT_COLUMNS, grantRecords } from './grant-records.ts'
import { mysqlRecords, type RecordTable } from './mysql-records.ts'
import { READ_ONLY } from './read-only.ts'
import { statementRunner } from './run-statement.ts'
import { requireSchema, requireWrites } from './schema.ts'
import { statementsOf } from './statements.ts'
import { sweep } from './sweep.ts'
import { tablesOf } from './tables.ts'

export interface MysqlStoreOptions {
  /** Prefix of every table: `[a-z_]{1,32}`. Default `grantkit_`. */
  readonly prefix?: string | undefined
  /**
   * Time limit of a statement in milliseconds, with the wait for a connection; after that MySQL counts as unreachable.
   * A statement is repeated once, with half the limit. Default 500.
   */
  readonly commandTimeout?: number | undefined
  /** The maximum number of statements that wait for a connection; further ones fail at once. Default 1000. */
  readonly maxWaiting?: number | undefined
  /** Deletes expired rows about once a minute. Default true; otherwise call `sweep` yourself. */
  readonly sweeping?: boolean | undefined
  /** The time in epoch seconds. Default: the system clock. */
  readonly now?: (() => number) | undefined
}

export interface MysqlStore extends Store {
  readonly transients: Transients
  within(namespace: string): Store
  /** For a readiness probe: rejects when MySQL cannot be read and written now. */
  probe(): Promise<void>
  /** Deletes rows that expired on a day before this one (UTC) and an hour ago, and returns how many. */
  sweep(): Promise<number>
  /** Ends the sweeping. The pool stays open. */
  close(): void
}

/**
 * A store in MySQL or MariaDB, shared by all processes with the same database.
 *
 * @param pool of `createPool` of `mysql2/promise`. The store changes no setting of its sessions.
 * @throws Error that says what to do, if the server is read-only, or the tables are missing, older, newer, or not Grantkit's
 *
 * @example
 * ```ts
 * import { createMysqlStore, migrate } from '@grantkit/store-mysql'
 * import { createPool } from 'mysql2/promise'
 *
 * const pool = createPool({ uri: 'mysql://grantkit@127.0.0.1/grantkit', connectTimeout: 1000 })
 * await migrate(pool)
 * const store = await createMysqlStore(pool)
 * ```
 */
export async function createMysqlStore(
  pool: Pool,
  {
    prefix,
    commandTimeout = 500,
    maxWaiting = 1000,
    sweeping = true,
    now = () => Math.floor(Date.now() / 1000),
  }: MysqlStoreOptions = {},
): Promise<MysqlStore> {
  const tables = tablesOf(prefix)
  await requireWrites(pool)
  await requireSchema(pool, tables)
  const runner = statementRunner(pool, { commandTimeout, maxWaiting })
  const tableOf = (table: string, columns: readonly string[] = []): RecordTable => {
    const all = ['version', 'value', ...columns, 'id', 'expires_at']
    return { ...runner, statements: statementsOf(table, all, commandTimeout), now }
  }
  const clients = tableOf(tables.client)
  const grants = tableOf(tables.grant, GRANT_COLUMNS)
  const transients = tableOf(tables.transient)
  const recordsOf = (keys: Keys) => ({
    clients: mysqlRecords<Client>(clients, keys),
    grants: grantRecords(grants, keys),
    transients: mysqlRecords<Transient>(transients, keys),
  })
  const all = [clients, grants, transients].map(({ statements }) => statements)
  const sweepNow = () => sweep(runner, all, now())
  return {
    ...recordsOf(keysOf()),
    within: (namespace) => recordsOf(keysOf(namespace)),
    async probe() {
      await runner.read(`SELECT ${READ_ONLY}`, [])
      // A write that changes nothing: no record has this key.
      await runner.write(transients.statements.remove, ['', now()])
    },
    sweep: sweepNow,
    close: sweeping ? onceAMinute(sweepNow) : () => {},
  }
}
