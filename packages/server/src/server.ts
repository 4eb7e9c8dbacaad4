import { type Config, parseConfig } from './config/config.ts'
import type { ServerConfig } from './config/schema.ts'
import type { Environment } from './config/variables.ts'
import { workloadWarnings } from './config/workload-names.ts'
import type { ServiceDefinition } from './definition.ts'
import type { Listening } from './listen/listening.ts'
import { createLogger, logErrors, logEvents } from './operations/logging.ts'
import { createService, type Service } from './service.ts'
import type { Observers } from './service-context.ts'
import { openStorage } from './storage.ts'

export interface ServerOptions {
  /** What your code adds: APIs, pages, tables and features of your own. */
  readonly definition?: ServiceDefinition | undefined
  /** Its variables win over the configuration. Default: `process.env`. */
  readonly environment?: Environment | undefined
  /** Default: events and errors are logged as JSON lines. */
  readonly observers?: Observers | undefined
}

/** A server with its storage. Mount `routes` by an adapter and `app` behind them, or let it listen by itself. */
export interface Server extends Service {
  readonly config: Config
  /** Listens at the configured host and port. @throws Error when the address is in use */
  listen(): Promise<Listening>
  /** Closes the storage. Close what listens first. */
  close(): Promise<void>
}

/**
 * Creates a server from a configuration, and migrates its tables.
 *
 * @throws ConfigError with all problems of the configuration
 * @throws Error when a file or the database cannot be used, or others could sign in with the password of a demo account
 *
 * @example
 * ```ts
 * import { createServer } from '@grantkit/server'
 *
 * const server = await createServer({ brand: { name: 'Notes' }, resources: { 'https://notes.example/mcp': {} } })
 * await server.listen()
 * ```
 */
export async function createServer(
  written: ServerConfig = {},
  { definition = {}, environment = process.env, observers }: ServerOptions = {},
): Promise<Server> {
  const config = parseConfig({ config: written, environment })
  const log = createLogger(config)
  const onWarning = (warning: string) => log.warn(warning)
  for (const warning of workloadWarnings(config)) onWarning(warning)
  const storage = await openStorage(config, onWarning, { definition })
  try {
    const logged = { onEvent: logEvents(log), onError: logErrors(log), onWarning }
    const service = await createService({ definition, config, observers: observers ?? logged, storage })
    const close = async () => {
      await service.settled()
      await storage.close()
    }
    return { ...service, config, listen: () => listen(service, config), close }
  } catch (error) {
    // Its connections and timers would keep the process alive.
    await storage.close()
    throw error
  }
}

async function listen(service: Service, { host, port, baseUrl }: Config): Promise<Listening> {
  const { listenOnHono } = await import('./listen/hono.ts')
  const { sendsHsts } = await import('./listen/standing-headers.ts')
  return listenOnHono(service, { host, port, hsts: sendsHsts(baseUrl) })
}
