import { closeSync, openSync } from 'node:fs'
import { resolve } from 'node:path'
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite'

/** A request waits for the lock of another process inside the event loop, so not for long. In milliseconds. */
export const REQUEST_LOCK_MS = 250

/**
 * Opens a file with a write-ahead log: readers and the writer do not wait for each other.
 *
 * @param path always a file: no name has a special meaning @param timeout of waits for locks, in milliseconds
 * @throws Error when Node is too old or the file cannot be used
 */
export function openDatabase(path: string, timeout = REQUEST_LOCK_MS): DatabaseSync {
  if (!('enableDefensive' in DatabaseSync.prototype))
    throw new Error(`store-sqlite needs Node 24.15 or newer; this is ${process.versions.node}`)
  const database = new DatabaseSync(resolve(path), { timeout, defensive: true })
  try {
    const mode = journalMode(database, performance.now() + timeout)
    if (mode !== 'wal') throw new Error('its file system takes no write-ahead log')
    // On macOS, fsync leaves data in the cache of the drive. Elsewhere this has no effect.
    database.exec('PRAGMA fullfsync = ON')
    return database
  } catch (cause) {
    database.close()
    throw unusable(path, cause)
  }
}

const SQLITE_BUSY = 5

/** Of several processes that open a new file at once, one changes its mode. There SQLite does not wait by itself. */
function journalMode(database: DatabaseSync, end: number): unknown {
  try {
    return onlyRow(database, 'PRAGMA journal_mode = WAL').journal_mode
  } catch (error) {
    const isLocked = (error as { errcode?: number }).errcode === SQLITE_BUSY
    if (!isLocked || performance.now() > end) throw error
    // This does wait.
    database.exec('BEGIN IMMEDIATE; ROLLBACK')
    return journalMode(database, end)
  }
}

/** The row of a query that always has one. */
export function onlyRow(
  database: DatabaseSync,
  query: string,
  ...values: readonly string[]
): Record<string, SQLOutputValue> {
  return database.prepare(query).get(...values) as Record<string, SQLOutputValue>
}

export function unusable(path: string, cause: unknown): Error {
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new Error(`${path} cannot be used as a database: ${reason}`, { cause })
}

/**
 * Creates the file if it is missing, readable only by its owner. SQLite gives the same permissions to its log.
 *
 * @throws Error when the directory does not exist or may not be written
 */
export function createFile(path: string): void {
  closeSync(openSync(resolve(path), 'a', 0o600))
}
