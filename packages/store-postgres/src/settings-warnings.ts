import type { Pool } from 'pg'

const LOSSES = {
  fsync: 'a crash of the machine may destroy the database',
  full_page_writes: 'a crash of the machine may destroy the database',
  synchronous_commit: 'a crash may take back the last writes, as the revocation of a grant',
}

/**
 * Warnings about settings that could lose records; empty if all is well.
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
  const names = Object.keys(LOSSES)
  const { rows } = await pool.query<{ name: keyof typeof LOSSES }>(
    `SELECT name FROM pg_settings WHERE name = ANY($1) AND setting = 'off' ORDER BY name`,
    [names],
  )
  return rows.map(({ name }) => `${name} is off: ${LOSSES[name]}; set it to on`)
}
