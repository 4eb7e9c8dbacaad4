import type { Pool, RowDataPacket } from 'mysql2/promise'
import { PLAIN_ROWS } from './plain-rows.ts'

type Settings = ReadonlyMap<string, string>

const READ_ONLY_SETTINGS = ['read_only', 'super_read_only', 'innodb_read_only']

/** Of each: whether the settings are dangerous, and the warning. A setting that a server does not have is `undefined`. */
const WARNINGS: readonly ((settings: Settings) => string | false)[] = [
  (settings) => {
    const name = READ_ONLY_SETTINGS.find((name) => isOn(settings, name))
    return (
      name !== undefined &&
      `${name} is ON: this server takes no writes; it may be a replica, which may not have a revocation yet`
    )
  },
  (settings) =>
    settings.get('innodb_flush_log_at_trx_commit') !== '1' &&
    `innodb_flush_log_at_trx_commit is ${settings.get('innodb_flush_log_at_trx_commit')}: a crash may take back the last writes, as the revocation of a grant; set it to 1`,
  (settings) =>
    isOn(settings, 'log_bin') &&
    settings.get('sync_binlog') !== '1' &&
    `sync_binlog is ${settings.get('sync_binlog')}: a crash may take back the last writes, as the revocation of a grant; set it to 1`,
  (settings) =>
    settings.get('innodb_doublewrite') === 'OFF' &&
    'innodb_doublewrite is OFF: a crash of the machine may destroy the database; set it to ON',
  (settings) =>
    isolation(settings) !== 'READ-COMMITTED' &&
    `transaction_isolation is ${isolation(settings)}: writes also lock the gaps between rows, and wait for each other; set it to READ-COMMITTED`,
  (settings) =>
    isOn(settings, 'wsrep_on') &&
    (Number(settings.get('wsrep_sync_wait')) & 1) === 0 &&
    'wsrep_sync_wait is 0: a node of Galera may not have a revocation yet when it is read; set it to 1',
  // MariaDB has a limit in each statement.
  (settings) =>
    !settings.has('max_statement_time') &&
    Number(settings.get('innodb_lock_wait_timeout')) > 5 &&
    `innodb_lock_wait_timeout is ${settings.get('innodb_lock_wait_timeout')}: a write that was given up keeps its connection so many seconds, as during a lock; set it to 1`,
]

const NAMES = [
  ...READ_ONLY_SETTINGS,
  ...['innodb_flush_log_at_trx_commit', 'log_bin', 'sync_binlog', 'innodb_doublewrite'],
  ...['transaction_isolation', 'tx_isolation', 'wsrep_on', 'wsrep_sync_wait'],
  ...['max_statement_time', 'innodb_lock_wait_timeout'],
]

/**
 * Warnings about settings that could lose records, or use up the connections of the server; empty if all is well.
 *
 * @example
 * ```ts
 * import { settingsWarnings } from '@grantkit/store-mysql'
 * import { createPool } from 'mysql2/promise'
 *
 * const pool = createPool('mysql://grantkit@127.0.0.1/grantkit')
 * for (const warning of await settingsWarnings(pool)) console.warn(warning)
 * ```
 */
export async function settingsWarnings(pool: Pool): Promise<string[]> {
  const names = NAMES.map((name) => `'${name}'`).join(', ')
  const sql = `SHOW VARIABLES WHERE Variable_name IN (${names})`
  const [rows] = await pool.query<RowDataPacket[]>({ sql, ...PLAIN_ROWS })
  const settings = new Map(rows.map((row) => [String(row.Variable_name), String(row.Value)]))
  return warningsOf(settings)
}

/** @param settings the variables of a session, by name */
export function warningsOf(settings: Settings): string[] {
  return WARNINGS.map((warning) => warning(settings)).filter((warning) => warning !== false)
}

function isOn(settings: Settings, name: string): boolean {
  const value = settings.get(name)
  return value !== undefined && value !== 'OFF' && value !== '0'
}

/** MariaDB before 11.1 has the older name alone. */
function isolation(settings: Settings): string | undefined {
  return settings.get('transaction_isolation') ?? settings.get('tx_isolation')
}
