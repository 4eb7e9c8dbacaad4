import type { CompiledQuery } from 'kysely'
import type { Database } from './database.ts'

/** A query whose only parameters are the values that are looked up. */
interface Query<Row> {
  compile(): CompiledQuery<Row>
}

/**
 * Finds a row by one value or several. The query is compiled once, because compiling it takes longer than SQLite needs for
 * it. On SQLite it does not pass through Kysely either.
 *
 * @param query any values take the places of those that are looked up, in their order
 */
export function lookup<Row>(
  database: Database,
  query: Query<Row>,
): (...values: readonly string[]) => Promise<Row | undefined> {
  const compiled = query.compile()
  return async (...values) => {
    const now = database.rowsNow?.(compiled.sql, values)
    if (now !== undefined) return now[0] as Row | undefined
    const { rows } = await database.executeQuery<Row>({ ...compiled, parameters: values })
    return rows[0]
  }
}
