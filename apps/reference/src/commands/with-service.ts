import { actingAs, userOfMachine } from '../audit/actor.ts'
import type { Service } from '../service.ts'
import { parseSettings, type Settings } from '../settings/settings.ts'
import type { Storage } from '../storage.ts'

type Work = (service: Service, settings: Settings, storage: Storage) => Promise<void>

/** Opens the service for a command. The trail names whoever runs it. */
export async function withService(work: Work): Promise<void> {
  const settings = parseSettings(process.env)
  // Loaded here, so that a command line that is refused does not wait for it.
  const [{ createService }, { openStorage }] = await Promise.all([
    import('../service.ts'),
    import('../storage.ts'),
  ])
  const storage = await openStorage(settings, console.error, { migrating: false })
  try {
    const observers = { onEvent: () => {}, onError: console.error }
    const service = await createService(settings, observers, storage)
    await actingAs(userOfMachine(), () => work(service, settings, storage))
  } finally {
    await storage.close()
  }
}

/** The same for the clients and grants of the service that runs. @throws Error if no other process reaches them */
export async function withSharedStore(work: Work): Promise<void> {
  if (parseSettings(process.env).STORE_URL === 'memory:')
    throw new Error('STORE_URL is memory:, which ends with its process. Name the store of the service.')
  return withService(work)
}
