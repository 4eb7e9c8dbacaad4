import { rm } from 'node:fs/promises'
import { protect } from '@grantkit/adapter-hono'
import { folderInMemory } from '@grantkit/test-servers/folder-in-memory'
import { freePort } from '@grantkit/test-servers/free-port'
import { newStorage } from '@grantkit/test-servers/new-storage'
import { Hono } from 'hono'
import { type Config, parseConfig } from '../src/config/config.ts'
import type { ServerConfig } from '../src/config/schema.ts'
import type { ServiceDefinition } from '../src/definition.ts'
import type { ServiceEvent } from '../src/events.ts'
import { listenOnHono } from '../src/listen/hono.ts'
import { sendsHsts } from '../src/listen/listening.ts'
import { createService, type Service } from '../src/service/service.ts'
import type { Observers } from '../src/service-context.ts'
import { openStorage, type Storage } from '../src/storage.ts'
import { DANA, THEO } from './people.ts'

/**
 * A server on a free loopback port of this process, which keeps its records in the storage under test. Two users can sign
 * in, unless others are configured.
 */
export interface RunningServer extends Service {
  readonly baseUrl: string
  /** The port it listens on; with a proxy, the base URL does not contain it. */
  readonly port: number
  readonly config: Config
  readonly database: Storage['database']
  readonly store: Storage['store']
  readonly recording: Storage['attempts']
  readonly events: ServiceEvent[]
  /** Takes the events of a type out of `events`: others come in between, such as a password that is hashed anew. */
  taken(type: ServiceEvent['type']): ServiceEvent[]
  readonly errors: unknown[]
  close(): Promise<void>
}

const NOTES: ServerConfig = {
  brand: { name: 'Notes' },
  scopes: {
    openid: { description: 'Know who you are' },
    'notes:read': { description: 'Read your notes', baseline: true },
  },
}

/** With an API of its own, `/api/notes`, for tests of access tokens. */
export const WITH_API: { readonly definition: ServiceDefinition } = {
  definition: {
    mount: ({ config, guard }) => [
      new Hono()
        .get('/api/notes', protect(guard(config.baseUrl), 'notes:read'), (c) => c.json([]))
        .post('/api/notes', protect(guard(config.baseUrl), 'notes:write'), (c) => c.json({}, 201)),
    ],
  },
}

type Variables = Readonly<Record<string, string>>

interface RunOptions extends Partial<Observers> {
  readonly definition?: ServiceDefinition
  /** Makes a store that fails out of the real one. */
  readonly wrapped?: (store: Storage['store']) => Storage['store']
}

/**
 * @param variables configure it, of its port if they need that. Where they name no database, it gets new storage.
 * @param more of its configuration file
 */
export async function runServer(
  variables: Variables | ((port: number) => Variables | Promise<Variables>) = {},
  more: Partial<ServerConfig> = {},
  { definition = {}, wrapped = (store) => store, ...observed }: RunOptions = {},
): Promise<RunningServer> {
  const folder = await folderInMemory('server')
  const port = await freePort()
  const given = typeof variables === 'function' ? await variables(port) : variables
  const own = given.DATABASE_URL === undefined ? await newStorage() : undefined
  const environment = {
    NODE_ENV: 'test',
    PORT: String(port),
    DATA_FOLDER: folder,
    ...own?.environment,
    ...given,
  }
  const config = parseConfig({ config: { ...NOTES, ...more }, environment })
  const events: ServiceEvent[] = []
  const errors: unknown[] = []
  const opened = await openStorage(config, () => {}, { definition })
  const storage = { ...opened, store: wrapped(opened.store) }
  const observers = {
    onEvent: (event: ServiceEvent) => void events.push(event),
    onError: (error: unknown) => void errors.push(error),
    ...observed,
  }
  const closeStorage = async () => {
    await storage.close()
    await own?.close()
    await rm(folder, { recursive: true })
  }
  const service = await createService({ definition, config, observers, storage }).catch(async (error) => {
    await closeStorage()
    throw error
  })
  if (config.users === undefined) for (const person of [DANA, THEO]) await service.accounts.add(person)
  const { host, baseUrl } = config
  const listening = await listenOnHono(service, { host, port: config.port, hsts: sendsHsts(baseUrl) })
  return {
    ...service,
    baseUrl,
    port: config.port,
    config,
    database: storage.database,
    store: storage.store,
    recording: storage.attempts,
    events,
    taken(type) {
      const found = events.filter((event) => event.type === type)
      for (const event of found) events.splice(events.indexOf(event), 1)
      return found
    },
    errors,
    async close() {
      await listening.close()
      await service.settled()
      await closeStorage()
    },
  }
}
