import { type Kysely, sql } from 'kysely'
import { isPostgres } from './tables.ts'

/**
 * The table of rate-limiter-flexible. It is an unlogged table: no check waits for the disk, and Postgres does not
 * replicate it. With SQLite the process counts in memory.
 */
export async function createRateLimits(database: Kysely<unknown>): Promise<void> {
  if (!isPostgres(database)) return
  await sql`
    create unlogged table rate_limit (
      key text collate "C" primary key,
      points integer not null,
      expire bigint not null
    ) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02)`.execute(database)
  await sql`create index rate_limit_end on rate_limit (expire)`.execute(database)
}
