import type { Pool } from 'pg'

const CONSEQUENCES = {
  fsync: 'a crash of the machine may destroy the database',
  full_page_writes: 'a crash of the machine may destroy the database',
  synchronous_commit: 'a crash may take back the last writes, as the revocation of a grant',
  statement_timeout: 'a statement that was given up keeps its backend, as during a lock',
}

/**
 * Warnings about settings that could lose records, or use up the connections of Postgres; empty if all is well.
 *
 * @example
 * ```ts
 * import { connectToPostgres, settingsWarnings } from '@grantkit/store-postgres'
 *
 * const pool = await connectToPostgres('postgres://127.0.0.1/app')
 * for (const warning of await settingsWarnings(pool)) console.warn(warning)
 * ```
 */
export async function settingsWarnings(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ name: keyof typeof CONSEQUENCES; setting: string }>(
    `SELECT name, setting FROM pg_settings WHERE name = ANY($1) AND setting IN ('off', '0') ORDER BY name`,
    [Object.keys(CONSEQUENCES)],
  )
  return rows.map(({ name, setting }) => {
    const wanted = setting === 'off' ? 'on' : '1s for this role'
    return `${name} is ${setting}: ${CONSEQUENCES[name]}; set it to ${wanted}`
  })
}
