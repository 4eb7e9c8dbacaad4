import type { Database } from '@grantkit/server/database'
import { onTestFinished } from 'vitest'
import { schoolConfig } from '../src/config.ts'
import { openSchoolStorage } from '../src/service.ts'

export { onEachDatabase } from '@grantkit/test-servers/on-each-database'

/** A connection for the current test, to a database whose tables are up to date, with the demo school. */
export async function connected(url: string): Promise<Database> {
  const config = schoolConfig({ DATABASE_URL: url, STORE_URL: 'memory:' })
  const { database, close } = await openSchoolStorage(config, () => {})
  onTestFinished(close)
  return database
}
