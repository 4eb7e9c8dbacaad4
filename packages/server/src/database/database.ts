import { access } from 'node:fs/promises'
import { type CompiledQuery, type Dialect, Kysely, sql, type Transaction } from 'kysely'
import type { Pool } from 'pg'
import { createFile } from '../config/text-file.ts'
import { nodeSqlite, type RowsNow } from './sqlite-dialect.ts'
import type { Tables } from './tables.ts'

interface Driver {
  readonly dialect: Dialect
  readonly pool?: Pool
  readonly rowsNow?: RowsNow
}

/** The database of the service. */
export class Database extends Kysely<Tables> {
  /** Its Postgres connection pool, which may be shared; absent with SQLite. */
  readonly pool: Pool | undefined
  /** Reads a row on SQLite without waiting; absent with Postgres. Used by `lookup`. */
  readonly rowsNow: RowsNow | undefined

  constructor({ dialect, pool, rowsNow }: Driver) {
    super({ dialect })
    this.pool = pool
    this.rowsNow = rowsNow
  }

  /** For a readiness probe: rejects when Postgres does not answer, or when SQLite could not be written. */
  async probe(): Promise<void> {
    if (this.pool !== undefined) await sql`select 1`.execute(this)
    else await this.#writeFirstPage()
  }

  /**
   * Fails on a lock or a full disk. The page is written unchanged, because its version may belong to the store in the
   * same file. SQLite would not write an unchanged row.
   */
  #writeFirstPage(): Promise<unknown> {
    return this.transaction().execute(async (transaction) => {
      const { rows } = await sql<{ user_version: number }>`pragma user_version`.execute(transaction)
      await sql`pragma user_version = ${sql.lit(rows[0]?.user_version)}`.execute(transaction)
    })
  }

  /** Kysely does not close a pool that it has not used. */
  override async destroy(): Promise<void> {
    await super.destroy()
    await this.pool?.end()
  }
}

/**
 * @param url `memory:`, `sqlite:<path of a file>` or a `postgres://` URL
 * @param onError called with errors of idle connections
 * @param password of a Postgres, for each new connection. Default: that of the URL
 * @throws Error when it cannot be used
 */
export async function openDatabase(
  url: string,
  onError: (error: Error) => void,
  password?: () => Promise<string>,
): Promise<Database> {
  if (url === 'memory:') return new Database(nodeSqlite(':memory:'))
  if (url.startsWith('sqlite:'))
    return new Database(nodeSqlite(await privateFile(url.slice('sqlite:'.length))))
  const { connectToPostgres } = await import('@grantkit/store-postgres')
  const { pooledPostgres } = await import('./pooled-postgres.ts')
  const pool = await connectToPostgres(url, { onError, password })
  return new Database({ dialect: pooledPostgres(pool), pool })
}

/**
 * Creates the file before SQLite does, because SQLite would make it readable by all users. Its write-ahead log gets the
 * same mode.
 *
 * @throws Error for a link to a missing file, which SQLite would create
 */
async function privateFile(path: string): Promise<string> {
  await createFile(path, '')
  await access(path).catch((cause) => {
    throw new Error(`${path} is a symbolic link to a file that does not exist`, { cause })
  })
  return path
}

export type Rows = Transaction<Tables>

/** Adds rows in one transaction. `false`: no row was added, because another one has the same unique values. */
export async function added(database: Database, work: (rows: Rows) => Promise<boolean>): Promise<boolean> {
  try {
    return await database.transaction().execute(work)
  } catch (error) {
    if (isUniqueViolation(error)) return false
    throw error
  }
}

/** Whether a write failed because another row has the same unique values. */
export function isUniqueViolation(error: unknown): boolean {
  const { code, errcode } = Object(error) as { code?: unknown; errcode?: unknown }
  return code === POSTGRES_UNIQUE_VIOLATION || SQLITE_UNIQUE_VIOLATIONS.includes(errcode)
}

const POSTGRES_UNIQUE_VIOLATION = '23505'
/** SQLITE_CONSTRAINT_PRIMARYKEY and SQLITE_CONSTRAINT_UNIQUE. */
const SQLITE_UNIQUE_VIOLATIONS: readonly unknown[] = [1555, 2067]

/** A query whose only parameters are the values that are looked up. */
interface Query<Row> {
  compile(): CompiledQuery<Row>
}

/**
 * Finds a row by one value or several. The query is compiled once, because compiling it takes longer than SQLite needs for
 * it. On SQLite it does not pass through Kysely either.
 *
 * @param query any values take the places of those that are looked up, in their order
 */
export function lookup<Row>(
  database: Database,
  query: Query<Row>,
): (...values: readonly string[]) => Promise<Row | undefined> {
  const compiled = query.compile()
  return async (...values) => {
    const now = database.rowsNow?.(compiled.sql, values)
    if (now !== undefined) return now[0] as Row | undefined
    const { rows } = await database.executeQuery<Row>({ ...compiled, parameters: values })
    return rows[0]
  }
}
