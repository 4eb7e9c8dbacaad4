import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type Dialect, Kysely, PostgresDialect } from 'kysely'
import { Pool } from 'pg'
import { createFile } from '../private-file.ts'
import { nodeSqlite } from './sqlite-dialect.ts'
import type { Tables } from './tables.ts'

export type Database = Kysely<Tables>

/** How long a call may wait for a connection, and for its answer. */
const CONNECT_MS = 5000
const STATEMENT_MS = 5000
const MOST_CONNECTIONS = 10

/**
 * The database of the service, with no connection made yet for Postgres.
 *
 * @param url `memory:`, `sqlite:<path of a file>` or a `postgres://` URL
 * @param onError called about connections that broke while nothing used them
 */
export async function openDatabase(url: string, onError: (error: Error) => void): Promise<Database> {
  return new Kysely<Tables>({ dialect: await dialectOf(url, onError) })
}

async function dialectOf(url: string, onError: (error: Error) => void): Promise<Dialect> {
  if (url === 'memory:') return nodeSqlite(':memory:')
  if (url.startsWith('sqlite:')) return nodeSqlite(await privateFile(url.slice('sqlite:'.length)))
  const pool = new Pool({
    connectionString: url,
    max: MOST_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: STATEMENT_MS,
  })
  pool.on('error', onError)
  return new PostgresDialect({ pool })
}

/** Made before SQLite makes it, because SQLite would let everybody read it. Its write-ahead log gets the same mode. */
async function privateFile(path: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  await createFile(path, '')
  return path
}

/** Whether a row was added. `false`: another one has the same unique values. */
export async function added(insertion: { execute(): Promise<unknown> }): Promise<boolean> {
  try {
    await insertion.execute()
    return true
  } catch (error) {
    if (isUniqueViolation(error)) return false
    throw error
  }
}

/** Whether a write was refused because another row has the same unique values. */
export function isUniqueViolation(error: unknown): boolean {
  const { code, errcode } = Object(error) as { code?: unknown; errcode?: unknown }
  return code === POSTGRES_UNIQUE_VIOLATION || SQLITE_UNIQUE_VIOLATIONS.includes(errcode)
}

const POSTGRES_UNIQUE_VIOLATION = '23505'
/** SQLITE_CONSTRAINT_PRIMARYKEY and SQLITE_CONSTRAINT_UNIQUE. */
const SQLITE_UNIQUE_VIOLATIONS: readonly unknown[] = [1555, 2067]
