import { readFile } from 'node:fs/promises'
import type { Client, Records, Store } from '@grantkit/core'
import { locked } from './file-lock.ts'
import { replaceFile } from './private-file.ts'

type Clients = Readonly<Record<string, Client>>

/**
 * Integrations in a file, for a store that other processes cannot reach. The command that adds one writes the file, and
 * a running service sees it without a restart. It holds only hashes.
 *
 * @param waitMs how long a change waits for changes of other processes
 */
export function integrationsFile(path: string, waitMs = 5000): Records<Client> {
  let known: { readonly text: string; readonly clients: Clients } = { text: '', clients: {} }

  /** Compares the text: a time of change is the same for several changes of one tick. */
  async function read(): Promise<Clients> {
    const text = await textOf(path)
    if (text !== known.text) known = { text, clients: JSON.parse(text) }
    return known.clients
  }

  /** @param change what the file is to contain, or `undefined` if it stays as it is */
  function write(change: (clients: Clients) => Clients | undefined): Promise<boolean> {
    return locked(path, waitMs, async () => {
      const changed = change(await read())
      if (changed !== undefined) await replaceFile(path, `${JSON.stringify(changed, null, 2)}\n`)
      return changed !== undefined
    })
  }

  return {
    async find(id) {
      const value = clientIn(await read(), id)
      return value && { value, version: JSON.stringify(value) }
    },
    insert: (id, value) =>
      write((clients) => (clientIn(clients, id) === undefined ? { ...clients, [id]: value } : undefined)),
    replace: (id, seen, value) =>
      write((clients) =>
        JSON.stringify(clientIn(clients, id)) === seen.version ? { ...clients, [id]: value } : undefined,
      ),
    async remove(id) {
      // Most ids that are removed are those of clients that registered themselves.
      if (clientIn(await read(), id) === undefined) return false
      return write((clients) => (clientIn(clients, id) === undefined ? undefined : without(clients, id)))
    },
    async *scan() {
      yield* Object.values(await read())
    },
  }
}

function without(clients: Clients, id: string): Clients {
  const { [id]: _, ...rest } = clients
  return rest
}

function clientIn(clients: Clients, id: string): Client | undefined {
  return Object.hasOwn(clients, id) ? clients[id] : undefined
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
      remove: async (id) =>
        (await Promise.all([clients.remove(id), integrations.remove(id)])).some((removed) => removed),
      async *scan() {
        yield* clients.scan()
        yield* integrations.scan()
      },
    },
  }
}

async function textOf(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '{}'
    throw error
  })
}
