import type { Store } from '@grantkit/core'
import { createMemoryStore } from '@grantkit/store-memory'
import { connectToRedis, createRedisStore, settingsWarnings } from '@grantkit/store-redis'
import { type CreateCounter, countersInMemory, noCounters } from './counters.ts'
import { countersInRedis } from './counters-in-redis.ts'
import { type Database, openDatabase } from './database/database.ts'
import { migrate } from './database/migrate.ts'
import { DEVELOPMENT_FOLDER } from './development.ts'
import { integrationsFile, withIntegrations } from './integrations-file.ts'
import type { Settings } from './settings.ts'

/** Where clients and grants are kept. */
interface OpenStore {
  readonly store: Store
  /** Counters in the same place as the records, so that replicas count together. */
  readonly createCounter: CreateCounter
  close(): Promise<void>
}

/** Everything that outlives a request: the store of the OAuth records, and the database of the service. */
export interface Storage extends OpenStore {
  readonly database: Database
}

/**
 * Connects to both, and brings the tables of the database up to date.
 *
 * @param onWarning called about settings that could lose records, and about broken connections
 * @throws Error when one of them cannot be used
 */
export async function openStorage(
  settings: Settings,
  onWarning: (warning: string) => void,
): Promise<Storage> {
  const database = await openDatabase(settings.DATABASE_URL, (error) =>
    onWarning(`A connection to the database broke: ${error.message}`),
  )
  try {
    await migrate(database)
    const store = await openStore(settings, onWarning)
    const close = async () => {
      await store.close()
      await database.destroy()
    }
    return { ...store, database, close }
  } catch (error) {
    // Its idle connections would keep the process alive.
    await database.destroy()
    throw error
  }
}

async function openStore(settings: Settings, onWarning: (warning: string) => void): Promise<OpenStore> {
  const opened =
    settings.STORE_URL === 'memory:' ? memoryStore(settings) : await redisStore(settings, onWarning)
  return settings.RATE_LIMITS === 'off' ? { ...opened, createCounter: noCounters } : opened
}

/** Integrations are in a file, because this store ends with its process. */
function memoryStore({ INTEGRATIONS_FILE }: Settings): OpenStore {
  const file = integrationsFile(INTEGRATIONS_FILE ?? `${DEVELOPMENT_FOLDER}/integrations.json`)
  return {
    store: withIntegrations(createMemoryStore(), file),
    createCounter: countersInMemory,
    close: async () => {},
  }
}

async function redisStore(
  { STORE_URL, WAIT_REPLICAS: replicas }: Settings,
  onWarning: (warning: string) => void,
): Promise<OpenStore> {
  const onError = (error: Error) => onWarning(`The connection to Redis broke: ${error.message}`)
  const redis = await connectToRedis(STORE_URL, { onError })
  for (const warning of await settingsWarnings(redis)) onWarning(warning)
  const onShortfall = (acknowledged: number) =>
    onWarning(`Changes are answered with ${acknowledged} of ${replicas} replicas having them`)
  const waitReplicas = replicas > 0 ? { replicas, timeout: REPLICATION_MS, onShortfall } : undefined
  const store = createRedisStore(redis, { waitReplicas })
  return { store, createCounter: countersInRedis(redis.client), close: async () => redis.destroy() }
}

const REPLICATION_MS = 100
