import type { Pool } from 'pg'
import { type DialectName, dialectOf } from './dialect.ts'
import { tablesOf } from './tables.ts'

export interface MigrateOptions {
  /** As for `createPostgresStore`. Default `grantkit_`. */
  readonly prefix?: string | undefined
  /** As for `createPostgresStore`. Default `postgres`. */
  readonly dialect?: DialectName | undefined
}

/**
 * Creates the tables, or migrates the tables of an earlier release. Postgres does all of it or nothing, and concurrent calls
 * wait for each other. With the distributed dialect each statement commits alone: call it again if it fails. It needs a role
 * that may create tables; the store needs only SELECT, INSERT, UPDATE and DELETE.
 *
 * @throws Error if only a newer release can use them, or if they are not Grantkit's
 *
 * @example
 * ```ts
 * import { connectToPostgres, migrate } from '@grantkit/store-postgres'
 *
 * const pool = await connectToPostgres('postgres://127.0.0.1/app')
 * await migrate(pool)
 * await pool.end()
 * ```
 */
export async function migrate(pool: Pool, { prefix, dialect }: MigrateOptions = {}): Promise<void> {
  await dialectOf(dialect).migrate(pool, tablesOf(prefix))
}
