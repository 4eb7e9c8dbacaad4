import { existsSync } from 'node:fs'
import type { ConfiguredService } from '../configured-service.ts'

/**
 * Warns of rules for workloads whose client does not exist. Nothing is created and no table changes. Empty if the store cannot be
 * read: before the first start there is none.
 */
export async function missingWorkloadClients(service: ConfiguredService): Promise<readonly string[]> {
  const { workloads } = service.config.features.jwtBearer
  if (workloads.length === 0 || !isReadable(service.config.store)) return []
  try {
    const missing = await unknownOf(service, [...new Set(workloads.map(({ client }) => client))])
    return missing.map(
      (client) => `features.jwtBearer.workloads: there is no client ${client}, so its rule gives no token`,
    )
  } catch {
    return []
  }
}

/** Opening a missing file would create it. */
function isReadable(store: string): boolean {
  if (store === 'memory:') return false
  return !store.startsWith('sqlite:') || existsSync(store.slice('sqlite:'.length))
}

async function unknownOf(
  { config, definition }: ConfiguredService,
  clients: readonly string[],
): Promise<readonly string[]> {
  const { openStorage } = await import('../storage.ts')
  const { store, close } = await openStorage(config, () => {}, { definition, migrating: false })
  try {
    const found = await Promise.all(clients.map((client) => store.clients.find(client)))
    return clients.filter((_, at) => found[at] === undefined)
  } finally {
    await close()
  }
}
