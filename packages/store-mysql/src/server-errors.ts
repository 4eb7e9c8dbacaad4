/** Numbers of the errors of MySQL and MariaDB. A client has other errors, which have none of these. */
const NUMBERS = {
  unknownColumn: [1054],
  noSuchTable: [1146],
  /** Record has changed since last read, lock wait timeout exceeded, deadlock: rolled back, because of another transaction. */
  lostToAnother: [1020, 1205, 1213],
  /** The server ended the statement: MariaDB's `max_statement_time`, MySQL's `max_execution_time`, a `KILL QUERY`. */
  timeLimit: [1969, 3024, 1317],
  /** `--read-only`, a transaction that may only read, `innodb_read_only` of MySQL and of MariaDB. */
  readOnly: [1290, 1792, 1836, 1036],
} as const

/** Whether the server responded with an error of this kind. */
export function isServerError(error: unknown, kind: keyof typeof NUMBERS): boolean {
  const numbers: readonly number[] = NUMBERS[kind]
  return numbers.includes((error as { errno?: number }).errno ?? 0)
}
