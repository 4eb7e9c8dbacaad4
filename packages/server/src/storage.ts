import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Store } from '@grantkit/core'
import { createMemoryStore } from '@grantkit/store-memory'
import * as sqlite from '@grantkit/store-sqlite'
import type { Pool } from 'pg'
import { type AttemptRecording, attemptRecording } from './attempts/recording.ts'
import { type AuditTrail, auditTrail } from './audit/trail.ts'
import type { Config } from './config/config.ts'
import { variableAtFault } from './config/fields.ts'
import { type Database, openDatabase } from './database/database.ts'
import { migrate, openMigrated, withAppMigrations } from './database/migrate.ts'
import type { ServiceDefinition } from './definition.ts'
import { type CreateCounter, countersInMemory, countersInRedis, noCounters } from './limits/counters.ts'
import type { Counters } from './limits/counters-in-postgres.ts'
import { type Statistics, statistics } from './statistics/statistics.ts'

/** The persistent state: the store of the OAuth records, and the database of the service. */
export interface Storage extends OpenStore {
  readonly database: Database
  readonly trail: AuditTrail
  readonly attempts: AttemptRecording
  readonly statistics: Statistics
  /** Counts for all replicas together in Redis or Postgres. With SQLite each process counts for itself. */
  readonly createCounter: CreateCounter
}

export interface OpenOptions {
  /** Of the service: its migrations, and the names of its commands for errors. */
  readonly definition?: Pick<ServiceDefinition, 'migrations' | 'commands'> | undefined
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
    definition: { migrations, commands } = {},
  }: OpenOptions = {},
): Promise<Storage> {
  const onError = (error: Error) => onWarning(`A connection to the database broke: ${error.message}`)
  const all = withAppMigrations(migrations)
  const atFault = <T>(variable: string, work: () => Promise<T>) => variableAtFault(variable, work, commands)
  const database = await atFault('DATABASE_URL', () =>
    migrating ? openDatabase(config.database, onError) : openMigrated(config.database, onError, all),
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
    const close = async () => {
      stopSweeping()
      await trail.close()
      await attempts.close()
      await counted.close()
      await store.close()
      await database.destroy()
    }
    return { ...store, createCounter, database, trail, attempts, statistics: counted, close }
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

/** The store of clients and grants. */
interface OpenStore {
  readonly store: Store
  /** Present if the store counts for all replicas together. */
  readonly createCounter?: CreateCounter
  /** Rejects if the store cannot be written. Present where a read does not show this. */
  readonly probe?: (() => Promise<void>) | undefined
  close(): Promise<void>
}

type OnWarning = (warning: string) => void

interface OpenStoreOptions {
  /** Whether to migrate the tables. */
  readonly migrating: boolean
  readonly onWarning: OnWarning
}

/** Each driver is loaded only with the store that needs it: both have hundreds of modules. */
const loadPostgres = () => import('@grantkit/store-postgres')
const loadRedis = () => import('@grantkit/store-redis')

/** @param database shares its connections with a store in the same Postgres */
async function openStore(config: Config, database: Database, options: OpenStoreOptions): Promise<OpenStore> {
  const { onWarning } = options
  const { store: url, postgresPrepare: prepare } = config
  if (url === 'memory:') return { store: createMemoryStore(), close: async () => {} }
  if (url.startsWith('sqlite:')) return sqliteStore(url.slice('sqlite:'.length), options)
  if (!url.startsWith('postgres')) return redisStore(config, onWarning)
  // The database has already warned about these config.
  if (database.pool !== undefined && url === config.database)
    return postgresStore(database.pool, prepare, { ...options, onWarning: () => {} })
  const onError = (error: Error) => onWarning(`A connection to the store broke: ${error.message}`)
  const { connectToPostgres } = await loadPostgres()
  const pool = await connectToPostgres(url, { onError })
  return postgresStore(pool, prepare, options, () => pool.end())
}

async function sqliteStore(path: string, { migrating, onWarning }: OpenStoreOptions): Promise<OpenStore> {
  if (migrating) {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    sqlite.migrate({ path })
  }
  for (const warning of await sqlite.settingsWarnings({ path })) onWarning(warning)
  const store = sqlite.createSqliteStore({ path })
  return { store, probe: store.probe, close: store.close }
}

/** @param end closes a pool of its own */
async function postgresStore(
  pool: Pool,
  prepare: boolean,
  { migrating, onWarning }: OpenStoreOptions,
  end = async (): Promise<void> => {},
): Promise<OpenStore> {
  const postgres = await loadPostgres()
  try {
    if (migrating) await postgres.migrate(pool)
    for (const warning of await postgres.settingsWarnings(pool)) onWarning(warning)
    const store = await postgres.createPostgresStore(pool, { prepare })
    const close = async () => {
      store.close()
      await end()
    }
    return { store, close }
  } catch (error) {
    await end()
    throw error
  }
}

async function redisStore(
  { store: url, waitReplicas: replicas }: Config,
  onWarning: OnWarning,
): Promise<OpenStore> {
  const onError = (error: Error) => onWarning(`The connection to Redis broke: ${error.message}`)
  const redis = await loadRedis()
  const connection = await redis.connectToRedis(url, { onError })
  for (const warning of await redis.settingsWarnings(connection)) onWarning(warning)
  const onShortfall = (acknowledged: number) =>
    onWarning(`Changes are answered with ${acknowledged} of ${replicas} replicas having them`)
  const waitReplicas = replicas > 0 ? { replicas, timeout: REPLICATION_MS, onShortfall } : undefined
  const store = redis.createRedisStore(connection, { waitReplicas })
  const createCounter = countersInRedis(connection.client, (error) =>
    onWarning(`Replicas count for rate limits alone: ${error}`),
  )
  return { store, createCounter, close: async () => connection.destroy() }
}

const REPLICATION_MS = 100
