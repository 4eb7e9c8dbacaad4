import { type CreateCounter, countersInMemory, noCounters } from '@grantkit/limiter'
import { type AuditTrail, auditTrail } from './audit/trail.ts'
import { type Database, openDatabase } from './database/database.ts'
import { migrate, openMigrated } from './database/migrate.ts'
import { type OpenStore, openStore } from './database/open-store.ts'
import { databaseWarnings } from './database/settings-warnings.ts'
import type { Counters } from './limits/counters-in-postgres.ts'
import { settingAtFault } from './settings/setting-at-fault.ts'
import type { Settings } from './settings/settings.ts'

/** The persistent state: the store of the OAuth records, and the database of the service. */
export interface Storage extends OpenStore {
  readonly database: Database
  readonly trail: AuditTrail
  /** Counts for all replicas together in Redis or Postgres. With SQLite each process counts for itself. */
  readonly createCounter: CreateCounter
}

export interface OpenOptions {
  /** Whether to migrate the tables of both. If false, they must be up to date. Default true. */
  readonly migrating?: boolean
  /** Called with the applied migrations of the database. */
  readonly onMigrated?: (migrations: readonly string[]) => void
}

/**
 * Connects to both.
 *
 * @param onWarning called with warnings about settings that could lose records, and about broken connections
 * @throws Error that names the setting if one of them is unusable
 */
export async function openStorage(
  settings: Settings,
  onWarning: (warning: string) => void,
  { migrating = true, onMigrated = () => {} }: OpenOptions = {},
): Promise<Storage> {
  const onError = (error: Error) => onWarning(`A connection to the database broke: ${error.message}`)
  const open = migrating ? openDatabase : openMigrated
  const database = await settingAtFault('DATABASE_URL', () => open(settings.DATABASE_URL, onError))
  try {
    if (migrating) onMigrated(await settingAtFault('DATABASE_URL', () => migrate(database)))
    for (const warning of await databaseWarnings(settings.DATABASE_URL, database)) onWarning(warning)
    const store = await settingAtFault('STORE_URL', () =>
      openStore(settings, database, { migrating, onWarning }),
    )
    const trail = auditTrail(database, { days: settings.AUDIT_DAYS, onWarning })
    const { createCounter, stopSweeping } = await countersFor(settings, store, database, onWarning)
    const close = async () => {
      stopSweeping()
      await trail.close()
      await store.close()
      await database.destroy()
    }
    return { ...store, createCounter, database, trail, close }
  } catch (error) {
    // Otherwise its idle connections keep the process alive.
    await database.destroy()
    throw error
  }
}

async function countersFor(
  settings: Settings,
  { createCounter }: OpenStore,
  { pool }: Database,
  onWarning: (warning: string) => void,
): Promise<Counters> {
  const { RATE_LIMITS, POSTGRES_PREPARE } = settings
  const stopSweeping = () => {}
  if (RATE_LIMITS === 'off') return { createCounter: noCounters, stopSweeping }
  if (createCounter !== undefined) return { createCounter, stopSweeping }
  if (pool === undefined) return { createCounter: countersInMemory, stopSweeping }
  const { countersInPostgres } = await import('./limits/counters-in-postgres.ts')
  const onError = (error: unknown) => onWarning(`Replicas count for rate limits alone: ${error}`)
  return countersInPostgres(pool, POSTGRES_PREPARE === 'on', onError)
}
