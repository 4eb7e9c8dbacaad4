import type { ConfiguredService } from '../configured-service.ts'
import type { Service } from '../service.ts'
import type { Storage } from '../storage.ts'

type Work = (service: Service, storage: Storage) => Promise<void>

/** Opens the service for a command. The trail names the operating-system user who runs it. */
export async function withService({ config, definition }: ConfiguredService, work: Work): Promise<void> {
  // Loaded here, so that an invalid command line fails without loading them.
  const { actingAs, systemUser } = await import('../audit/actor.ts')
  const { createService } = await import('../service.ts')
  const { openStorage } = await import('../storage.ts')
  const storage = await openStorage(config, console.error, { definition, migrating: false })
  try {
    const observers = { onEvent: () => {}, onError: console.error }
    const service = await createService({ definition, config, observers, storage, addsAccounts: false })
    await actingAs(systemUser(), () => work(service, storage))
    await service.settled()
  } finally {
    await storage.close()
  }
}

/** @throws Error where a password would let nobody sign in */
export function requireOwnUsers({ config }: ConfiguredService): void {
  if (config.users !== undefined)
    throw new Error('An application or a directory has the users of this server: add and change them there.')
}

/**
 * The same for the clients and grants of the running service. @throws Error if the store is not shared between
 * processes
 */
export async function withSharedStore(configured: ConfiguredService, work: Work): Promise<void> {
  if (configured.config.store === 'memory:')
    throw new Error('STORE_URL is memory:, which ends with its process. Name the store of the service.')
  return withService(configured, work)
}
