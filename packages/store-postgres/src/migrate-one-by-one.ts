import { setTimeout as sleep } from 'node:timers/promises'
import { DatabaseError, type Pool, type PoolClient } from 'pg'
import { attempt } from './attempt.ts'
import { DISTRIBUTED_MIGRATIONS } from './distributed-migrations.ts'
import { VERSION } from './migrations.ts'
import { LOOK_MS, refuseForeign, refuseNewer } from './schema.ts'
import type { Tables } from './tables.ts'

/**
 * Runs the missing statements one by one, each in its own transaction. What is there already stays, so a migration that was
 * cut short continues when it is run again, and two at once do no harm.
 */
export async function migrateOneByOne(pool: Pool, tables: Tables): Promise<void> {
  const missing = DISTRIBUTED_MIGRATIONS.slice(await stepsTakenOneByOne(pool, tables))
  if (missing.length === 0) return
  const client = await pool.connect()
  try {
    // An engine without such a limit sets none.
    for (const name of ['statement_timeout', 'lock_timeout'])
      await client.query(`SET ${name} = 0`).catch(() => {})
    for (const statement of missing.flatMap((step) => step(tables)))
      await define(client, statement).catch(refuseForeign)
    await define(
      client,
      `INSERT INTO ${tables.schema} (id, version, steps) VALUES (1, ${VERSION}, ${DISTRIBUTED_MIGRATIONS.length})
      ON CONFLICT (id) DO UPDATE SET version = excluded.version, steps = excluded.steps
      WHERE ${tables.schema}.steps < excluded.steps`,
    )
  } finally {
    // Its time limits are off.
    client.release(true)
  }
}

/**
 * The number of steps that led to the tables; 0 if there are none, or not all of the first one.
 *
 * @throws Error if only a newer release can use them, or if they are not Grantkit's
 */
export async function stepsTakenOneByOne(pool: Pool, { schema }: Tables): Promise<number> {
  const query = { text: `SELECT version, steps FROM ${schema} WHERE id = 1` }
  // Aurora DSQL also reports a conflict to who reads while another process defines.
  const { rows } = await attempt(pool, query, LOOK_MS, [100, 200, 400]).catch((error) => {
    if (codeOf(error) === UNDEFINED_TABLE) return { rows: [] }
    return refuseForeign(error)
  })
  const [row] = rows
  if (row === undefined) return 0
  refuseNewer(row.version)
  return row.steps
}

const UNDEFINED_TABLE = '42P01'

/**
 * Another process defines the same: unique_violation (of the catalog), duplicate_table, duplicate_object,
 * serialization_failure, deadlock_detected. The next attempt finds what the other one made.
 */
const AT_THE_SAME_TIME = ['23505', '42P07', '42710', '40001', '40P01']
const FEATURE_NOT_SUPPORTED = '0A000'
const MAX_ATTEMPTS = 10
const PAUSE_MS = 200

async function define(client: PoolClient, statement: string, attempts = 1): Promise<void> {
  try {
    await client.query(statement)
  } catch (error) {
    const code = codeOf(error)
    if (code === FEATURE_NOT_SUPPORTED && statement.startsWith('CREATE INDEX IF'))
      // Aurora DSQL has no other index, and makes it in the background.
      return define(client, statement.replace('CREATE INDEX', 'CREATE INDEX ASYNC'))
    if (attempts === MAX_ATTEMPTS || !AT_THE_SAME_TIME.includes(code)) throw error
    await sleep(PAUSE_MS * Math.random())
    return define(client, statement, attempts + 1)
  }
}

function codeOf(error: unknown): string {
  return (error instanceof DatabaseError && error.code) || ''
}
