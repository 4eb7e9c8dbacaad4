import { isServerError } from './server-errors.ts'

/** The server takes no writes. It may be a replica, which may not have a revocation yet, or the former primary. */
export class ReadOnlyServerError extends Error {
  constructor(cause?: unknown) {
    super('This server of MySQL is read-only; it may be a replica', { cause })
    this.name = 'ReadOnlyServerError'
  }
}

/** A column of every statement that reads, so that no record comes from a read-only server. */
export const READ_ONLY = '@@global.read_only AS read_only'

/** Newer releases of MariaDB have more values than ON and OFF. */
export function isReadOnly(value: unknown): boolean {
  return value !== undefined && !['0', 'OFF'].includes(String(value))
}

/** An error that names the cause, if a write was refused for it. */
export function named(error: unknown): unknown {
  return isServerError(error, 'readOnly') ? new ReadOnlyServerError(error) : error
}
