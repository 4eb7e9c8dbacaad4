import type { Pool, PoolConnection, RowDataPacket } from 'mysql2/promise'
import { MIGRATIONS, VERSION } from './migrations.ts'
import { PLAIN_ROWS } from './plain-rows.ts'
import { refuseForeignTables, requireSchema, stepsTaken } from './schema.ts'
import { tablesOf } from './tables.ts'

export interface MigrateOptions {
  /** As for `createMysqlStore`. Default `grantkit_`. */
  readonly prefix?: string | undefined
}

/**
 * Creates the tables, or migrates the tables of an earlier release. Concurrent calls wait for each other; a call that was
 * interrupted is repeated by calling again. It needs a role that may create tables; the store needs only SELECT, INSERT,
 * UPDATE and DELETE.
 *
 * @throws Error if only a newer release can use them, or if they are not Grantkit's
 *
 * @example
 * ```ts
 * import { migrate } from '@grantkit/store-mysql'
 * import { createPool } from 'mysql2/promise'
 *
 * const pool = createPool('mysql://root@127.0.0.1/grantkit')
 * await migrate(pool)
 * await pool.end()
 * ```
 */
export async function migrate(pool: Pool, { prefix }: MigrateOptions = {}): Promise<void> {
  const tables = tablesOf(prefix)
  await alone(pool, tables.schema, async (connection) => {
    const taken = await stepsTaken(connection, tables)
    if (taken >= MIGRATIONS.length) return
    await refuseForeignTables(connection, tables)
    for (const step of MIGRATIONS.slice(taken))
      for (const statement of step(tables)) await connection.query(statement)
    const row = `only_row = 1, version = ${VERSION}, steps = ${MIGRATIONS.length}`
    await connection.query(`REPLACE INTO ${tables.schema} SET ${row}`)
    await requireSchema(connection, tables)
  })
}

/** Long enough for a migration that rewrites large tables. */
const MAX_WAIT_SECONDS = 86_400

/** The lock is of the server, so its name has the database; a name has at most 64 characters. */
const LOCK = `MD5(CONCAT('grantkit ', DATABASE(), ' ', ?))`

/** Does some work under a lock that ends with its connection, whatever happens. */
async function alone(
  pool: Pool,
  name: string,
  work: (connection: PoolConnection) => Promise<void>,
): Promise<void> {
  const connection = await pool.getConnection()
  try {
    const sql = `SELECT GET_LOCK(${LOCK}, ${MAX_WAIT_SECONDS}) AS locked`
    const [rows] = await connection.query<RowDataPacket[]>({ sql, ...PLAIN_ROWS }, [name])
    if (Number(rows[0]?.locked) !== 1) throw new Error('MySQL gave no lock for the migration')
    await work(connection)
    await connection.query(`DO RELEASE_LOCK(${LOCK})`, [name])
    connection.release()
  } catch (error) {
    connection.destroy()
    throw error
  }
}
