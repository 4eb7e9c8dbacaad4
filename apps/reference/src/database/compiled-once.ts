import type { Compilable } from 'kysely'
import type { Database } from './database.ts'

/** Where the value belongs among the parameters. */
const VALUE = Symbol('value')

/**
 * Looks up one row by a text. Requests ask for the same row in the same words, and to compile them costs as much as SQLite
 * takes to answer.
 */
export function compiledOnce<Row>(
  database: Database,
  queryFor: (value: string) => Compilable<Row>,
): (value: string) => Promise<Row | undefined> {
  const compiled = queryFor(VALUE as unknown as string).compile()
  return async (value) => {
    const parameters = compiled.parameters.map((given) => (given === VALUE ? value : given))
    const { rows } = await database.executeQuery<Row>({ ...compiled, parameters })
    return rows[0]
  }
}
