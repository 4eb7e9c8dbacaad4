import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Store } from '@grantkit/core'
import { createMemoryStore } from '@grantkit/store-memory'
import * as sqlite from '@grantkit/store-sqlite'
import type { Pool } from 'pg'
import type { Config } from '../config/config.ts'
import { type CreateCounter, countersInRedis } from '../limits/counters.ts'
import type { Database } from './database.ts'

/** The store of clients and grants. */
export interface OpenStore {
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
export async function openStore(
  config: Config,
  database: Database,
  options: OpenStoreOptions,
): Promise<OpenStore> {
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
