import { actingAs, systemUser } from '../audit/actor.ts'
import type { Service } from '../service.ts'
import { parseSettings, type Settings } from '../settings/settings.ts'
import type { Storage } from '../storage.ts'

type Work = (service: Service, settings: Settings, storage: Storage) => Promise<void>

/** Opens the service for a command. The trail names the operating-system user who runs it. */
export async function withService(work: Work): Promise<void> {
  const settings = parseSettings(process.env)
  // Loaded here, so that an invalid command line fails without loading it.
  const [{ createService }, { openStorage }] = await Promise.all([
    import('../service.ts'),
    import('../storage.ts'),
  ])
  const storage = await openStorage(settings, console.error, { migrating: false })
  try {
    const observers = { onEvent: () => {}, onError: console.error }
    const service = await createService(settings, observers, storage)
    await actingAs(systemUser(), () => work(service, settings, storage))
  } finally {
    await storage.close()
  }
}

/**
 * The same for the clients and grants of the running service. @throws Error if the store is not shared between
 * processes
 */
export async function withSharedStore(work: Work): Promise<void> {
  if (parseSettings(process.env).STORE_URL === 'memory:')
    throw new Error('STORE_URL is memory:, which ends with its process. Name the store of the service.')
  return withService(work)
}
