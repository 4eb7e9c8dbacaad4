import type { Pool, PoolConnection, RowDataPacket } from 'mysql2/promise'
import { KNOWN_VERSION, MIGRATIONS } from './migrations.ts'
import { PLAIN_ROWS } from './plain-rows.ts'
import { isReadOnly, READ_ONLY, ReadOnlyServerError } from './read-only.ts'
import { isServerError } from './server-errors.ts'
import type { Tables } from './tables.ts'

type Database = Pool | PoolConnection

/** @throws Error if the server is read-only, or its sessions commit no write by themselves */
export async function requireWrites(pool: Pool): Promise<void> {
  const [row] = await rowsOf(pool, `SELECT ${READ_ONLY}, @@session.autocommit AS autocommit`)
  if (isReadOnly(row)) throw new ReadOnlyServerError()
  if (Number(row?.autocommit) !== 1)
    throw new Error('The sessions of the pool have autocommit off: the store commits nothing by itself')
}

/** @throws Error that says what to do, if the tables are missing, older, newer, or not Grantkit's */
export async function requireSchema(database: Database, tables: Tables): Promise<void> {
  if ((await stepsTaken(database, tables)) < MIGRATIONS.length) throw missing()
  for (const table of recordTables(tables))
    if (!(await isOwn(database, table))) throw foreign(`${table} is missing`)
}

/**
 * The number of steps that led to the tables; 0 if there are none, or an interrupted first one. A newer release may have
 * taken more.
 *
 * @throws Error if only a newer release can use them, or if they are not Grantkit's
 */
export async function stepsTaken(database: Database, { schema }: Tables): Promise<number> {
  const rows = await rowsOf(database, `SELECT version, steps FROM ${schema}`).catch(noneIfMissing)
  if (rows.length > 1) throw foreign(`${schema} has ${rows.length} rows`)
  const [row] = rows
  if (row === undefined) return 0
  if (row.version > KNOWN_VERSION)
    throw new Error(
      `The tables of MySQL have version ${row.version}, which a newer release made; this one knows ${KNOWN_VERSION}: start that release`,
    )
  return row.steps
}

/** @throws Error if there are tables of these names that are not Grantkit's */
export async function refuseForeignTables(database: Database, tables: Tables): Promise<void> {
  for (const table of recordTables(tables)) await isOwn(database, table)
}

function recordTables({ client, grant, transient }: Tables): readonly string[] {
  return [client, grant, transient]
}

/** @returns whether there is such a table. @throws Error if it is not Grantkit's */
async function isOwn(database: Database, table: string): Promise<boolean> {
  const columns = `SELECT id, version, value, expires_at, sweep_day FROM ${table} LIMIT 0`
  return rowsOf(database, columns).then(
    () => true,
    (error) => {
      noneIfMissing(error)
      return false
    },
  )
}

async function rowsOf(database: Database, sql: string): Promise<RowDataPacket[]> {
  const [rows] = await database.query<RowDataPacket[]>({ sql, ...PLAIN_ROWS })
  return rows
}

function noneIfMissing(error: Error): RowDataPacket[] {
  if (isServerError(error, 'noSuchTable')) return []
  throw isServerError(error, 'unknownColumn') ? foreign(error.message, error) : error
}

function missing(): Error {
  return new Error('MySQL has no tables of this release: call migrate() of @grantkit/store-mysql')
}

function foreign(reason: string, cause?: Error): Error {
  const advice = 'choose another prefix or database'
  return new Error(`MySQL has tables of these names that are not Grantkit's (${reason}): ${advice}`, {
    cause,
  })
}
