import * as sqlite from '@grantkit/store-sqlite'
import type { Database } from './database.ts'

/**
 * Warnings about settings and file systems that could lose accounts or the trail; empty if there are none.
 *
 * @param url of the database, which is migrated
 */
export async function databaseWarnings(url: string, { pool }: Database): Promise<string[]> {
  if (url === 'memory:') return []
  const warnings =
    pool === undefined
      ? sqlite.settingsWarnings({ path: url.slice('sqlite:'.length) })
      : (await import('@grantkit/store-postgres')).settingsWarnings(pool)
  return (await warnings).map((warning) => `DATABASE_URL: ${warning}`)
}
