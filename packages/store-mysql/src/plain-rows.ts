import type { QueryOptions } from 'mysql2/promise'

/**
 * Rows as objects of plain values, whatever shape the pool gives to the rows of the application. Only a function overrides
 * the `typeCast` of a pool.
 */
export const PLAIN_ROWS = {
  rowsAsArray: false,
  nestTables: false,
  typeCast: (_, next) => next(),
} satisfies Partial<QueryOptions>
