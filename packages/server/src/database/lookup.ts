import type { CompiledQuery } from 'kysely'
import type { Database } from './database.ts'

/** A query whose only parameter is the value that is looked up. */
interface OneParameter<Row> {
  compile(): CompiledQuery<Row>
}

/**
 * Finds a row by one value. The query is compiled once, because compiling it takes longer than SQLite needs for it. On
 * SQLite it does not pass through Kysely either.
 *
 * @param query any value takes the place of the one that is looked up
 */
export function lookup<Row>(
  database: Database,
  query: OneParameter<Row>,
): (value: string) => Promise<Row | undefined> {
  const compiled = query.compile()
  return async (value) => {
    const now = database.rowsNow?.(compiled.sql, [value])
    if (now !== undefined) return now[0] as Row | undefined
    const { rows } = await database.executeQuery<Row>({ ...compiled, parameters: [value] })
    return rows[0]
  }
}
