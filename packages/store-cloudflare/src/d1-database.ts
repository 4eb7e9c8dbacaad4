import { type Answer, answerOf } from './attempt.ts'
import type { Row, SqlValue } from './records.ts'

/** What the store needs of a D1 binding. */
export interface Database {
  prepare(statement: string): DatabaseStatement
  batch(statements: never[]): Promise<unknown>
}

export interface DatabaseStatement {
  bind(...values: unknown[]): DatabaseStatement
  all(): Promise<{ readonly results: unknown[] }>
}

/**
 * Runs a statement on the primary: without a session all of them go there. A replica may lack a revocation, and a swap by
 * a version that it read would lose.
 */
export async function rowsOf(
  database: Database,
  commandTimeout: number,
  statement: string,
  values: readonly SqlValue[],
): Promise<Answer<readonly Row[]>> {
  const call = async () =>
    (
      await database
        .prepare(statement)
        .bind(...values)
        .all()
    ).results as Row[]
  return answerOf(commandTimeout, call, isPassing).catch(explained)
}

/** Errors of D1 have no property for it. Not for an overloaded database: it answers less with every repetition. */
const PASSING =
  /Network connection lost|storage caused object to be reset|reset because its code was updated|transient issue on remote node/

function isPassing(error: unknown): boolean {
  return error instanceof Error && PASSING.test(error.message)
}

function explained(cause: unknown): never {
  if (cause instanceof Error && /no such (table|column)/.test(cause.message)) {
    const migrate = 'run `wrangler d1 migrations apply`, or call migrate() of @grantkit/store-cloudflare/d1'
    throw new Error(`The D1 database does not have the tables of this release: ${migrate}`, { cause })
  }
  throw cause
}
