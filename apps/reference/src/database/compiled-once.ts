import type { Compilable } from 'kysely'
import type { Database } from './database.ts'

/** The placeholder of the value among the parameters. */
const VALUE = Symbol('value')

/**
 * Looks up one row by a text. The query is compiled once, because compiling it takes as long as running it on SQLite.
 */
export function compiledOnce<Row>(
  database: Database,
  queryFor: (value: string) => Compilable<Row>,
): (value: string) => Promise<Row | undefined> {
  const compiled = queryFor(VALUE as unknown as string).compile()
  return async (value) => {
    const parameters = compiled.parameters.map((parameter) => (parameter === VALUE ? value : parameter))
    const { rows } = await database.executeQuery<Row>({ ...compiled, parameters })
    return rows[0]
  }
}
