import { createMemoryStore } from '@grantkit/store-memory'
import { auditTrail } from '../src/audit/trail.ts'
import { countersInMemory } from '../src/counters.ts'
import { openDatabase } from '../src/database/database.ts'
import { migrate } from '../src/database/migrate.ts'
import type { Storage } from '../src/storage.ts'

/** What a service without files needs. */
export async function storageInMemory(): Promise<Omit<Storage, 'close'>> {
  const database = await openDatabase('memory:', () => {})
  await migrate(database)
  const trail = auditTrail(database, { days: 365, onWarning: () => {} })
  return { store: createMemoryStore(), createCounter: countersInMemory, database, trail }
}
