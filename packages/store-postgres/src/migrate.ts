import type { Pool, PoolClient } from 'pg'
import { MIGRATIONS, VERSION } from './migrations.ts'
import { refuseForeign, stepsTaken } from './schema.ts'
import { tablesOf } from './tables.ts'

export interface MigrateOptions {
  /** As for `createPostgresStore`. Default `grantkit_`. */
  readonly prefix?: string | undefined
}

/**
 * Creates the tables, or migrates the tables of an earlier release: all or nothing. Concurrent calls wait for
 * each other. It needs a role that may create tables; the store needs only SELECT, INSERT, UPDATE and DELETE.
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
export async function migrate(pool: Pool, { prefix }: MigrateOptions = {}): Promise<void> {
  const tables = tablesOf(prefix)
  await inTransaction(pool, async (client) => {
    // Of two CREATE TABLE at once one fails, even with IF NOT EXISTS.
    await client.query('SELECT pg_advisory_xact_lock(hashtext($1))', [tables.schema])
    const missing = MIGRATIONS.slice(await stepsTaken(client, tables))
    if (missing.length === 0) return
    for (const step of missing) await client.query(step(tables)).catch(refuseForeign)
    await client.query(`ALTER TABLE ${tables.schema} ADD COLUMN IF NOT EXISTS steps integer`)
    await client.query(`UPDATE ${tables.schema} SET version = $1, steps = $2`, [VERSION, MIGRATIONS.length])
  })
}

async function inTransaction(pool: Pool, work: (client: PoolClient) => Promise<void>): Promise<void> {
  const client = await pool.connect()
  let failed = true
  try {
    // A migration has no time limit.
    await client.query('BEGIN; SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0')
    await work(client)
    await client.query('COMMIT')
    failed = false
  } finally {
    // The end of its connection rolls a transaction back, whatever state it is in.
    client.release(failed)
  }
}
