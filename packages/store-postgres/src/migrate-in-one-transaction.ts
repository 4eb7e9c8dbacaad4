import type { Pool, PoolClient } from 'pg'
import { MIGRATIONS, VERSION } from './migrations.ts'
import { refuseForeign, stepsTaken } from './schema.ts'
import type { Tables } from './tables.ts'

/** Runs the missing steps, all or nothing. Concurrent calls wait for each other. */
export async function migrateInOneTransaction(pool: Pool, tables: Tables): Promise<void> {
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
