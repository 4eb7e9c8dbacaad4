import { DatabaseError, type Pool, type PoolClient } from 'pg'
import { KNOWN_VERSION, MIGRATIONS } from './migrations.ts'
import type { Tables } from './tables.ts'

/** @throws Error that says what to do, if the tables are missing, older, newer, or not Grantkit's */
export async function requireSchema(pool: Pool, tables: Tables): Promise<void> {
  if ((await stepsTaken(pool, tables)) < MIGRATIONS.length)
    throw new Error('Postgres has no tables of this release: call migrate() of @grantkit/store-postgres')
  for (const table of [tables.client, tables.grant, tables.transient])
    await pool
      .query(`SELECT id, version, value, expires_at, sweep_day FROM ${table} LIMIT 0`)
      .catch(refuseForeign)
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
  if (version > KNOWN_VERSION)
    throw new Error(
      `The tables of Postgres have version ${version}, which a newer release made; this one knows ${KNOWN_VERSION}: start that release`,
    )
  return steps
}

/** Undefined and duplicate tables and columns are of this class; so is a missing privilege. */
const SYNTAX_OR_ACCESS = /^42(?!501)/

export function refuseForeign(error: unknown): never {
  const isForeign = error instanceof DatabaseError && SYNTAX_OR_ACCESS.test(error.code ?? '')
  throw isForeign ? foreign(error.message, error) : error
}

function foreign(reason: string, cause?: Error): Error {
  const advice = 'choose another prefix or database'
  return new Error(`Postgres has tables of these names that are not Grantkit's (${reason}): ${advice}`, {
    cause,
  })
}
