import * as sqlite from '@grantkit/store-sqlite'
import { type AttemptRecording, attemptRecording } from './attempts/recording.ts'
import { type AuditTrail, auditTrail } from './audit/trail.ts'
import type { Config } from './config/config.ts'
import { variableAtFault } from './config/fields.ts'
import { type Database, openDatabase } from './database/database.ts'
import { migrate, openMigrated } from './database/migrate.ts'
import { withAppMigrations } from './database/migrations.ts'
import { postgresPassword } from './database/postgres-password.ts'
import type { ServiceDefinition } from './definition.ts'
import { type CreateCounter, countersInMemory, noCounters } from './limits/counters.ts'
import type { Counters } from './limits/counters-in-postgres.ts'
import { type Statistics, statistics } from './statistics/statistics.ts'
import { type OpenStore, openStore } from './store.ts'

/** The persistent state: the store of the OAuth records, and the database of the service. */
export interface Storage extends OpenStore {
  readonly database: Database
  readonly trail: AuditTrail
  readonly attempts: AttemptRecording
  readonly statistics: Statistics
  /** Counts for all replicas together in Redis, or in the Postgres of accounts. Otherwise each process counts for itself. */
  readonly createCounter: CreateCounter
  /** Aborts when the storage closes. What its service does in the background ends then. */
  readonly closed: AbortSignal
}

export interface OpenOptions {
  /** Of the service: its migrations, and the program that errors name. */
  readonly definition?: Pick<ServiceDefinition, 'migrations' | 'program'> | undefined
  /** Whether to migrate the tables of both. If false, they must be up to date. Default true. */
  readonly migrating?: boolean
  /** Whether to add the demo rows of the migrations. Default: outside of production, when migrating. */
  readonly demo?: boolean | undefined
  /** Called with the applied migrations of the database. */
  readonly onMigrated?: (migrations: readonly string[]) => void
}

/**
 * Connects to both.
 *
 * @param onWarning called with warnings about config that could lose records, and about broken connections
 * @throws Error that names the setting if one of them is unusable
 */
export async function openStorage(
  config: Config,
  onWarning: (warning: string) => void,
  {
    migrating = true,
    demo,
    onMigrated = () => {},
    definition: { migrations, program } = {},
  }: OpenOptions = {},
): Promise<Storage> {
  const onError = (error: Error) => onWarning(`A connection to the database broke: ${error.message}`)
  const all = withAppMigrations(migrations)
  const atFault = <T>(variable: string, work: () => Promise<T>) => variableAtFault(variable, work, program)
  const password = await postgresPassword(config, 'database', onWarning)
  const database = await atFault('DATABASE_URL', () =>
    migrating
      ? openDatabase(config.database, onError, password)
      : openMigrated(config.database, onError, all, password),
  )
  try {
    if (migrating) {
      const withDemo = demo ?? config.mode !== 'production'
      onMigrated(await atFault('DATABASE_URL', () => migrate(database, all, withDemo)))
    }
    for (const warning of await databaseWarnings(config.database, database)) onWarning(warning)
    const store = await atFault('STORE_URL', () => openStore(config, database, { migrating, onWarning }))
    const trail = auditTrail(database, { days: config.auditDays, onWarning })
    const attempts = attemptRecording(database, { days: config.explainDays, onWarning })
    const counted = statistics(database, { onWarning })
    const { createCounter, stopSweeping } = await countersFor(config, store, database, onWarning)
    const closing = new AbortController()
    const close = async () => {
      closing.abort()
      stopSweeping()
      await trail.close()
      await attempts.close()
      await counted.close()
      await store.close()
      await database.destroy()
    }
    const { signal: closed } = closing
    return { ...store, createCounter, database, trail, attempts, statistics: counted, closed, close }
  } catch (error) {
    // Otherwise its idle connections keep the process alive.
    await database.destroy()
    throw error
  }
}

async function countersFor(
  config: Config,
  { createCounter }: OpenStore,
  { pool }: Database,
  onWarning: (warning: string) => void,
): Promise<Counters> {
  const stopSweeping = () => {}
  if (!config.limits) return { createCounter: noCounters, stopSweeping }
  if (createCounter !== undefined) return { createCounter, stopSweeping }
  if (pool === undefined) return { createCounter: countersInMemory, stopSweeping }
  const { countersInPostgres } = await import('./limits/counters-in-postgres.ts')
  const onError = (error: unknown) => onWarning(`Replicas count for rate limits alone: ${error}`)
  return countersInPostgres(pool, config.postgresPrepare, onError)
}

/**
 * Warnings about settings and file systems that could lose accounts or the trail; empty if there are none.
 *
 * @param url of the database, which is migrated
 */
async function databaseWarnings(url: string, { pool }: Database): Promise<string[]> {
  if (url === 'memory:') return []
  const warnings =
    pool === undefined
      ? sqlite.settingsWarnings({ path: url.slice('sqlite:'.length) })
      : (await import('@grantkit/store-postgres')).settingsWarnings(pool)
  return (await warnings).map((warning) => `DATABASE_URL: ${warning}`)
}
