import { DatabaseError, type Pool, type PoolClient } from 'pg'
import { attempt } from './attempt.ts'
import { KNOWN_VERSION } from './migrations.ts'
import type { Tables } from './tables.ts'

/** Milliseconds for a look at the tables when a process starts. */
export const LOOK_MS = 10_000

export interface Schema {
  /** The number of steps that led to the tables; 0 if there are none. */
  stepsTaken(pool: Pool, tables: Tables): Promise<number>
  /** The number of steps that this release knows. */
  readonly steps: number
  /** The column that no table of another dialect has. */
  readonly sweepColumn: string
}

/** @throws Error that says what to do, if the tables are missing, older, newer, or not Grantkit's */
export async function requireSchema(
  pool: Pool,
  tables: Tables,
  { stepsTaken, steps, sweepColumn }: Schema,
): Promise<void> {
  if ((await stepsTaken(pool, tables)) < steps)
    throw new Error('Postgres has no tables of this release: call migrate() of @grantkit/store-postgres')
  for (const table of [tables.client, tables.grant, tables.transient])
    await attempt(
      pool,
      { text: `SELECT id, version, value, expires_at, ${sweepColumn} FROM ${table} LIMIT 0` },
      LOOK_MS,
    ).catch(refuseForeign)
}

/**
 * The number of steps that led to the tables; 0 if there are none. A newer release may have taken more.
 *
 * @throws Error if only a newer release can use them, or if they are not Grantkit's
 */
export async function stepsTaken(database: Pool | PoolClient, { schema }: Tables): Promise<number> {
  const table = await database.query('SELECT to_regclass($1) IS NULL AS missing', [schema])
  if (table.rows[0].missing) return 0
  // Tables of one step have no column for their number.
  const counted = `SELECT version, coalesce((to_jsonb(s) ->> 'steps')::integer, version) AS steps FROM ${schema} AS s`
  const { rows } = await database.query(counted).catch(refuseForeign)
  if (rows.length !== 1) throw foreign(`${schema} has ${rows.length} rows`)
  const [{ version, steps }] = rows
  refuseNewer(version)
  return steps
}

/** @throws Error for tables that only a newer release can use */
export function refuseNewer(version: number): void {
  if (version > KNOWN_VERSION)
    throw new Error(
      `The tables of Postgres have version ${version}, which a newer release made; this one knows ${KNOWN_VERSION}: start that release`,
    )
}

/** Undefined and duplicate tables and columns are of this class; so is a missing privilege. */
const SYNTAX_OR_ACCESS = /^42(?!501)/

export function refuseForeign(error: unknown): never {
  const isForeign = error instanceof DatabaseError && SYNTAX_OR_ACCESS.test(error.code ?? '')
  throw isForeign ? foreign(error.message, error) : error
}

function foreign(reason: string, cause?: Error): Error {
  const advice = 'choose another prefix or database, or the dialect that made them'
  return new Error(`Postgres has tables of these names that are not Grantkit's (${reason}): ${advice}`, {
    cause,
  })
}
