import { type EventEmitter, once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { hashWarnings } from './accounts/password-hashes.ts'
import { exampleProvider } from './accounts/upstream/example-provider.ts'
import { providerWarnings } from './accounts/upstream/upstream-sign-ins.ts'
import { type Config, configWarnings, parseConfig } from './config/config.ts'
import type { ServerConfig } from './config/schema.ts'
import type { Environment } from './config/variables.ts'
import type { ConfiguredService, LoadService, ServiceDefinition } from './definition.ts'
import type { OnEvent } from './events.ts'
import type { Listen, Listening } from './listen/listening.ts'
import { createLogger, logObservers } from './operations/logging.ts'
import type { Metrics } from './operations/metrics.ts'
import { createService, type Service } from './service/service.ts'
import type { Observers } from './service-context.ts'
import { openStorage, type Storage } from './storage.ts'
import type { CurrentWorker } from './workers/worker.ts'

export interface ServerOptions {
  /** What your code adds: APIs, pages, tables and features of your own. */
  readonly definition?: ServiceDefinition | undefined
  /** Its variables win over the configuration. Default: `process.env`. */
  readonly environment?: Environment | undefined
  /** Relative paths of the configuration start here. Default: the working directory. */
  readonly folder?: string | undefined
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
  { definition = {}, environment = process.env, folder, observers }: ServerOptions = {},
): Promise<Server> {
  const config = parseConfig({ config: written, environment, folder })
  const log = createLogger(config)
  const logged = logObservers(log)
  for (const warning of await warningsOf(config)) logged.onWarning(warning)
  const storage = await openStorage(config, logged.onWarning, { definition })
  return orClosed(storage, async () => {
    const service = await createService({ definition, config, observers: observers ?? logged, storage })
    const close = async () => {
      await service.settled()
      await storage.close()
    }
    return { ...service, config, listen: () => listen(service, config), close }
  })
}

/** A storage whose work fails is closed: its connections and timers would keep the process alive. */
async function orClosed<Result>(storage: Storage, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    await storage.close()
    throw error
  }
}

/** @throws Error if the file of providers is invalid */
async function warningsOf(config: Config): Promise<readonly string[]> {
  return [...configWarnings(config), ...(await providerWarnings(config)), ...hashWarnings()]
}

async function listen(service: Service, { host, port, baseUrl }: Config): Promise<Listening> {
  const { listenOnHono } = await import('./listen/hono.ts')
  const { sendsHsts } = await import('./listen/listening.ts')
  return listenOnHono(service, { host, port, hsts: sendsHsts(baseUrl) })
}

/** A service may add to the configuration of the server. */
export interface StartOptions<Configured extends Config = Config> {
  /** Called once. @throws ConfigError */
  readonly load: LoadService<Configured>
  /** Whether to add the demo rows in production too. */
  readonly demo?: boolean | undefined
  /** How many processes share the port. Default: as configured. */
  readonly workers?: number | undefined
  readonly listen: (config: Configured) => Listen
  /** Printed to a terminal once the server listens. */
  readonly banner: Banner<Configured>
}

export type Banner<Configured extends Config = Config> = (
  configured: ConfiguredService<Configured>,
  service: Service,
) => string | Promise<string>

/** Serves in this process, until it has to stop. @throws Error when it cannot start */
export async function serveHere<Configured extends Config>(
  options: StartOptions<Configured>,
  configured: ConfiguredService<Configured>,
  worker: CurrentWorker | undefined,
): Promise<void> {
  const { config, definition } = configured
  const log = createLogger(config, worker?.number)
  for (const warning of await warningsOf(config)) log.warn(warning)
  const demo = options.demo || undefined
  const migrating = worker?.migrates ?? true
  const storage = await openStorage(config, (warning) => log.warn(warning), { definition, demo, migrating })
  await orClosed(storage, () => serve(options, configured, { log, storage, worker }))
}

interface Parts {
  readonly log: Logger
  readonly storage: Storage
  readonly worker: CurrentWorker | undefined
}

const EXAMPLE = `
  "Continue with Example" tries a sign-in without a password. Switched off by EXAMPLE_PROVIDER=off
`
const NO_EXAMPLE =
  'EXAMPLE_PROVIDER is on, but the provider to try needs @grantkit/testkit, a HOST that is a loopback address, one worker, users of its own, and no provider with the id example'

async function serve<Configured extends Config>(
  { listen: listenBy, banner }: StartOptions<Configured>,
  configured: ConfiguredService<Configured>,
  { log, storage, worker }: Parts,
): Promise<void> {
  const { config, definition } = configured
  const metrics = config.metricsPort === undefined ? undefined : await newMetrics(worker?.number)
  const logged = logObservers(log)
  const onEvent: OnEvent = (event) => {
    logged.onEvent(event)
    metrics?.onEvent(event)
  }
  const observers = { ...logged, onEvent, onResponse: metrics?.onResponse }
  // Each worker would have its own codes and keys.
  const example = worker === undefined ? await exampleProvider(config) : undefined
  if (config.exampleProvider && example === undefined) log.warn(NO_EXAMPLE)
  const service = await createService({ definition, config, observers, storage, example })
  const { host, port, metricsPort } = config
  const listen = listenBy(config)
  const { sendsHsts } = await import('./listen/listening.ts')
  const listening = await listen(service, { host, port, hsts: sendsHsts(config.baseUrl) })
  // The primary process serves the metrics of all workers.
  if (metrics && metricsPort && worker === undefined)
    await listen({ routes: [], app: metrics.app }, { host, port: metricsPort, hsts: false })
  const drain = () => {
    service.drain()
    listening.drain()
  }
  void stopSignal(worker?.orders ?? process, drain, config.drainSeconds).then(async (signal) => {
    log.info({ signal }, 'stopping')
    await listening.close()
    await service.settled()
    await storage.close()
    process.exit(0)
  })
  worker?.listening(metrics)
  // If the output is not a terminal, every line is JSON.
  if (config.mode === 'production') log.info({ address: config.baseUrl, host, port }, 'listening')
  else if (worker?.migrates ?? true) {
    const text = await banner(configured, service)
    await logged.printed()
    console.log(example ? `${text}${EXAMPLE}` : text)
  }
}

/** Loaded only if metrics are enabled. */
async function newMetrics(worker: number | undefined): Promise<Metrics> {
  const { createMetrics } = await import('./operations/metrics.ts')
  return createMetrics(worker)
}

/**
 * Resolves when the service has to stop. SIGTERM comes from a deployment: a load balancer gets time to notice the
 * drain. SIGINT comes from a person at a terminal: it stops at once, even during a drain.
 *
 * @param source emits the signals: the process, or what the primary process orders
 */
function stopSignal(source: EventEmitter, drain: () => void, drainSeconds: number): Promise<NodeJS.Signals> {
  const terminated = async () => {
    await once(source, 'SIGTERM')
    drain()
    return sleep(drainSeconds * 1000, 'SIGTERM' as const)
  }
  return Promise.race([once(source, 'SIGINT').then(() => 'SIGINT' as const), terminated()])
}
