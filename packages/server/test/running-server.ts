import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { folderInMemory } from '@grantkit/test-servers/folder-in-memory'
import { freePort } from '@grantkit/test-servers/free-port'
import { type Config, parseConfig } from '../src/config/config.ts'
import type { ServerConfig } from '../src/config/schema.ts'
import { listenOnHono } from '../src/listen/hono.ts'
import { createService, type Service } from '../src/service.ts'
import type { Observers } from '../src/service-context.ts'
import { openStorage, type Storage } from '../src/storage.ts'
import { DANA, THEO } from './people.ts'

/** A server with SQLite on a free loopback port of this process. Two users can sign in, unless others are configured. */
export interface RunningServer extends Service {
  readonly baseUrl: string
  readonly config: Config
  readonly database: Storage['database']
  readonly recording: Storage['attempts']
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

type Variables = Readonly<Record<string, string>>

/** @param variables configure it, of its port if they need that @param more of its configuration file @param observed e.g. its log */
export async function runServer(
  variables: Variables | ((port: number) => Variables) = {},
  more: Partial<ServerConfig> = {},
  observed: Partial<Observers> = {},
): Promise<RunningServer> {
  const folder = await folderInMemory('server')
  const port = await freePort()
  const environment = {
    NODE_ENV: 'test',
    PORT: String(port),
    DATABASE_URL: `sqlite:${join(folder, 'server.sqlite')}`,
    DATA_FOLDER: folder,
    ...(typeof variables === 'function' ? variables(port) : variables),
  }
  const config = parseConfig({ config: { ...NOTES, ...more }, environment })
  const errors: unknown[] = []
  const storage = await openStorage(config, () => {})
  const observers = { onEvent: () => {}, onError: (error: unknown) => void errors.push(error), ...observed }
  const service = await createService({ definition: {}, config, observers, storage })
  if (config.users === undefined) for (const person of [DANA, THEO]) await service.accounts.add(person)
  const { host, baseUrl } = config
  const listening = await listenOnHono(service, { host, port: config.port, https: false })
  return {
    ...service,
    baseUrl,
    config,
    database: storage.database,
    recording: storage.attempts,
    errors,
    async close() {
      await listening.close()
      await storage.close()
      await rm(folder, { recursive: true })
    },
  }
}
