import type { Pool, PoolClient } from 'pg'
import { MIGRATIONS } from './migrations.ts'
import { refuseForeign, schemaVersion } from './schema.ts'
import { tablesOf } from './tables.ts'

export interface MigrateOptions {
  /** As for `createPostgresStore`. Default `grantkit_`. */
  readonly prefix?: string | undefined
}

/**
 * Creates the tables, or brings those of an earlier release up to date: all or nothing. Calls at the same time wait for
 * each other. It needs a role that may create tables; the store needs only SELECT, INSERT, UPDATE and DELETE.
 *
 * @throws Error if a newer release has migrated them, or if they are not Grantkit's
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
export async function migrate(pool: Pool, { prefix }: MigrateOptions = {}): Promise<void> {
  const tables = tablesOf(prefix)
  await inTransaction(pool, async (client) => {
    // Of two CREATE TABLE at once one fails, even with IF NOT EXISTS.
    await client.query('SELECT pg_advisory_xact_lock(hashtext($1))', [tables.schema])
    const version = await schemaVersion(client, tables)
    if (version === MIGRATIONS.length) return
    for (const step of MIGRATIONS.slice(version)) await client.query(step(tables)).catch(refuseForeign)
    await client.query(`UPDATE ${tables.schema} SET version = $1`, [MIGRATIONS.length])
  })
}

async function inTransaction(pool: Pool, work: (client: PoolClient) => Promise<void>): Promise<void> {
  const client = await pool.connect()
  let failed = true
  try {
    await client.query('BEGIN')
    await work(client)
    await client.query('COMMIT')
    failed = false
  } finally {
    // The end of its connection rolls a transaction back, whatever state it is in.
    client.release(failed)
  }
}
