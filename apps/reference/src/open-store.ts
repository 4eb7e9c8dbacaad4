import type { Store } from '@grantkit/core'
import { createMemoryStore } from '@grantkit/store-memory'
import { connectToRedis, createRedisStore, settingsWarnings } from '@grantkit/store-redis'
import { type Counting, countingInMemory, countingInRedis, notCounting } from './counters.ts'
import { DEVELOPMENT_FOLDER } from './development.ts'
import { integrationsFile, withIntegrations } from './integrations-file.ts'
import type { Settings } from './settings.ts'

/** The store of the settings, and how to let go of it. */
export interface OpenStore {
  readonly store: Store
  /** Where attempts are counted: beside the records, so that replicas count together. */
  readonly counting: Counting
  close(): Promise<void>
}

/** @param onWarning hears of what could lose records, and of connections that broke */
export async function openStore(
  settings: Settings,
  onWarning: (warning: string) => void,
): Promise<OpenStore> {
  const { STORE_URL, RATE_LIMITS } = settings
  const opened = STORE_URL === 'memory:' ? memoryStore(settings) : await redisStore(STORE_URL, onWarning)
  return RATE_LIMITS === 'off' ? { ...opened, counting: notCounting } : opened
}

/** Integrations outlive a store that forgets everything with its process. */
function memoryStore({ INTEGRATIONS_FILE }: Settings): OpenStore {
  const file = integrationsFile(INTEGRATIONS_FILE ?? `${DEVELOPMENT_FOLDER}/integrations.json`)
  return {
    store: withIntegrations(createMemoryStore(), file),
    counting: countingInMemory,
    close: async () => {},
  }
}

async function redisStore(url: string, onWarning: (warning: string) => void): Promise<OpenStore> {
  const onError = (error: Error) => onWarning(`The connection to Redis broke: ${error.message}`)
  const client = await connectToRedis(url, { onError })
  for (const warning of await settingsWarnings(client)) onWarning(warning)
  return {
    store: createRedisStore(client),
    counting: countingInRedis(client),
    close: async () => client.destroy(),
  }
}
