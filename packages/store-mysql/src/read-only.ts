import { isServerError } from './server-errors.ts'

/** The server takes no writes. It may be a replica, which may not have a revocation yet, or the former primary. */
export class ReadOnlyServerError extends Error {
  constructor(cause?: unknown) {
    super('This server of MySQL is read-only; it may be a replica', { cause })
    this.name = 'ReadOnlyServerError'
  }
}

/** Columns of every statement that reads, so that no record comes from a read-only server. A reader of Aurora has the second alone. */
export const READ_ONLY = '@@global.read_only AS read_only, @@global.innodb_read_only AS innodb_read_only'

/** @param row of a statement that reads `READ_ONLY`. Newer releases of MariaDB have more values than ON and OFF */
export function isReadOnly(row: Readonly<Record<string, unknown>> | undefined): boolean {
  return [row?.read_only, row?.innodb_read_only].some(
    (value) => value !== undefined && !['0', 'OFF'].includes(String(value)),
  )
}

/** An error that names the cause, if a write was refused for it. */
export function named(error: unknown): unknown {
  return isServerError(error, 'readOnly') ? new ReadOnlyServerError(error) : error
}
