import { DatabaseError, type Pool, type PoolClient } from 'pg'
import { MIGRATIONS } from './migrations.ts'
import type { Tables } from './tables.ts'

/** @throws Error that says what to do, if the tables are missing, older, newer, or not Grantkit's */
export async function requireSchema(pool: Pool, tables: Tables): Promise<void> {
  const version = await schemaVersion(pool, tables)
  if (version < MIGRATIONS.length)
    throw new Error('Postgres has no tables of this release: call migrate() of @grantkit/store-postgres')
  for (const table of [tables.client, tables.grant, tables.transient])
    await pool
      .query(`SELECT id, version, value, expires_at, sweep_day FROM ${table} LIMIT 0`)
      .catch(refuseForeign)
}

/**
 * The number of migrations that the tables have seen; 0 if there are none.
 *
 * @throws Error if a newer release has migrated them, or if they are not Grantkit's
 */
export async function schemaVersion(database: Pool | PoolClient, { schema }: Tables): Promise<number> {
  const table = await database.query('SELECT to_regclass($1) IS NULL AS missing', [schema])
  if (table.rows[0].missing) return 0
  const { rows } = await database.query(`SELECT version FROM ${schema}`).catch(refuseForeign)
  if (rows.length !== 1) throw foreign(`${schema} has ${rows.length} rows`)
  const [{ version }] = rows
  if (version > MIGRATIONS.length)
    throw new Error(
      `The tables of Postgres have version ${version}, which a newer release made; this one knows ${MIGRATIONS.length}: start that release`,
    )
  return version
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
