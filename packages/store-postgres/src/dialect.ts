import type { Pool } from 'pg'
import { DISTRIBUTED_MIGRATIONS } from './distributed-migrations.ts'
import { distributedStatementsOf } from './distributed-statements.ts'
import { migrateInOneTransaction } from './migrate-in-one-transaction.ts'
import { migrateOneByOne, stepsTakenOneByOne } from './migrate-one-by-one.ts'
import { MIGRATIONS } from './migrations.ts'
import { type Schema, stepsTaken } from './schema.ts'
import { type Statements, statementsOf } from './statements.ts'
import type { Tables } from './tables.ts'

/**
 * What the database understands: `postgres` is Postgres itself; `distributed` is an engine that speaks its protocol and
 * divides tables among machines, such as CockroachDB, YugabyteDB, Aurora DSQL and Citus.
 */
export type DialectName = 'postgres' | 'distributed'

/** Everything that differs between the dialects. */
export interface Dialect extends Schema {
  /** @param columns of the table, with `expires_at`, in the order of the parameters */
  statementsOf(table: string, columns: readonly string[]): Statements
  migrate(pool: Pool, tables: Tables): Promise<void>
  /** The repetitions of a statement that was rolled back, as for `attempt`. */
  readonly pauses: readonly number[]
}

const DIALECTS: Record<DialectName, Dialect> = {
  postgres: {
    statementsOf,
    migrate: migrateInOneTransaction,
    stepsTaken,
    steps: MIGRATIONS.length,
    sweepColumn: 'sweep_day',
    // Postgres waits for the winner before it says that a statement lost.
    pauses: [0],
  },
  distributed: {
    statementsOf: distributedStatementsOf,
    migrate: migrateOneByOne,
    stepsTaken: stepsTakenOneByOne,
    steps: DISTRIBUTED_MIGRATIONS.length,
    sweepColumn: 'swept_from',
    pauses: [10, 40, 160],
  },
}

/** @throws RangeError for a name that is no dialect */
export function dialectOf(name: DialectName = 'postgres'): Dialect {
  if (!Object.hasOwn(DIALECTS, name))
    throw new RangeError(`The dialect must be one of ${Object.keys(DIALECTS).join(', ')}, and is ${name}`)
  return DIALECTS[name]
}
