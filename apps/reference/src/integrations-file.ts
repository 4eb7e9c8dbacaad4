import { readFile, stat } from 'node:fs/promises'
import type { Client, Records, Store } from '@grantkit/core'
import { replaceFile } from './private-file.ts'

/**
 * Integrations in a file, for a store that other processes cannot reach. The command that adds one writes the file, and
 * a running service sees it without a restart. It holds only hashes.
 */
export function integrationsFile(path: string): Records<Client> {
  let known: { readonly changedAt: number; readonly clients: Record<string, Client> } = {
    changedAt: 0,
    clients: {},
  }

  async function read(): Promise<Record<string, Client>> {
    const changedAt = await changeTime(path)
    if (changedAt === 0) return {}
    if (changedAt !== known.changedAt)
      known = { changedAt, clients: JSON.parse(await readFile(path, 'utf8')) }
    return known.clients
  }

  function write(clients: Record<string, Client>): Promise<void> {
    return replaceFile(path, `${JSON.stringify(clients, null, 2)}\n`)
  }

  return {
    async find(id) {
      const clients = await read()
      const value = Object.hasOwn(clients, id) ? clients[id] : undefined
      return value && { value, version: value }
    },
    async insert(id, value) {
      const clients = await read()
      if (Object.hasOwn(clients, id)) return false
      await write({ ...clients, [id]: value })
      return true
    },
    async replace(id, seen, value) {
      const clients = await read()
      if (clients[id] !== seen.version) return false
      await write({ ...clients, [id]: value })
      return true
    },
    async remove(id) {
      const { [id]: removed, ...rest } = await read()
      if (removed !== undefined) await write(rest)
    },
    async *scan() {
      yield* Object.values(await read())
    },
  }
}

/** A store whose integrations are in another place than its self-registered clients. */
export function withIntegrations(store: Store, integrations: Records<Client>): Store {
  const { clients } = store
  const keeperOf = ({ origin }: Client) => (origin === 'integration' ? integrations : clients)
  return {
    ...store,
    clients: {
      find: async (id) => (await clients.find(id)) ?? (await integrations.find(id)),
      insert: (id, client, expiresAt) => keeperOf(client).insert(id, client, expiresAt),
      replace: (id, seen, client, expiresAt) => keeperOf(client).replace(id, seen, client, expiresAt),
      remove: async (id) => void (await Promise.all([clients.remove(id), integrations.remove(id)])),
      async *scan() {
        yield* clients.scan()
        yield* integrations.scan()
      },
    },
  }
}

async function changeTime(path: string): Promise<number> {
  return stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  )
}
