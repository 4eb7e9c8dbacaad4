import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { styleText } from 'node:util'
import type { Logger } from 'pino'
import { refusePublicPasswords } from './accounts/open-accounts.ts'
import { commandNamesOf } from './command-names.ts'
import type { Config } from './config/config.ts'
import { ConfigError } from './config/config-error.ts'
import { workloadWarnings } from './config/workload-names.ts'
import type { ConfiguredService, LoadService } from './configured-service.ts'
import type { OnEvent } from './events.ts'
import type { Listen } from './listen/listening.ts'
import { createLogger, logErrors, logEvents } from './operations/logging.ts'
import type { Metrics } from './operations/metrics.ts'
import { createService, type Service } from './service.ts'
import { openStorage, type Storage } from './storage.ts'

/** A service may add to the configuration of the server. */
export interface StartOptions<Configured extends Config = Config> {
  /** Called once. @throws ConfigError */
  readonly load: LoadService<Configured>
  /** Whether to add the demo rows in production too. */
  readonly demo?: boolean | undefined
  readonly listen: (config: Configured) => Listen
  /** Printed to a terminal once the server listens. */
  readonly banner: Banner<Configured>
}

export type Banner<Configured extends Config = Config> = (
  configured: ConfiguredService<Configured>,
  service: Service,
) => string | Promise<string>

/** Starts a server, until a signal stops it. If it cannot start, it says why and sets the exit code. */
export async function startServer<Configured extends Config>(
  options: StartOptions<Configured>,
): Promise<void> {
  try {
    await start(options, await options.load())
  } catch (error) {
    console.error(styleText('red', explain(error)))
    process.exitCode = 1
  }
}

async function start<Configured extends Config>(
  options: StartOptions<Configured>,
  configured: ConfiguredService<Configured>,
): Promise<void> {
  const { config, definition } = configured
  const log = createLogger(config)
  for (const warning of workloadWarnings(config)) log.warn(warning)
  const demo = options.demo || undefined
  const storage = await openStorage(config, (warning) => log.warn(warning), { definition, demo })
  try {
    await serve(options, configured, log, storage)
  } catch (error) {
    // Its connections and timers would keep the process alive.
    await storage.close()
    throw error
  }
}

async function serve<Configured extends Config>(
  { listen: listenBy, banner }: StartOptions<Configured>,
  configured: ConfiguredService<Configured>,
  log: Logger,
  storage: Storage,
): Promise<void> {
  const { config, definition } = configured
  const onError = logErrors(log)
  const metrics = config.metricsPort === undefined ? undefined : await newMetrics()
  const logEvent = logEvents(log)
  const onEvent: OnEvent = (event) => {
    logEvent(event)
    metrics?.onEvent(event)
  }
  const observers = { onEvent, onError, onResponse: metrics?.onResponse }
  const service = await createService({ definition, config, observers, storage })
  if (config.mode === 'production')
    await refusePublicPasswords(service.accounts, definition.demoAccounts ?? [], commandNamesOf(definition))
  const { host, port, metricsPort } = config
  const listen = listenBy(config)
  const https = config.baseUrl.startsWith('https:')
  const listening = await listen(service, { host, port, https })
  if (metrics && metricsPort)
    await listen({ routes: [], app: metrics.app }, { host, port: metricsPort, https: false })
  const drain = () => {
    service.drain()
    listening.drain()
  }
  void stopSignal(drain, config.drainSeconds).then(async (signal) => {
    log.info({ signal }, 'stopping')
    await listening.close()
    await service.settled()
    await storage.close()
    process.exit(0)
  })
  // If the output is not a terminal, every line is JSON.
  if (config.mode === 'production') log.info({ address: config.baseUrl, host, port }, 'listening')
  else console.log(await banner(configured, service))
}

/** Loaded only if metrics are enabled. */
async function newMetrics(): Promise<Metrics> {
  const { createMetrics } = await import('./operations/metrics.ts')
  return createMetrics()
}

/**
 * Resolves when the service has to stop. SIGTERM comes from a deployment: a load balancer gets time to notice the
 * drain. SIGINT comes from a person at a terminal: it stops at once, even during a drain.
 */
function stopSignal(drain: () => void, drainSeconds: number): Promise<NodeJS.Signals> {
  const terminated = async () => {
    await once(process, 'SIGTERM')
    drain()
    return sleep(drainSeconds * 1000, 'SIGTERM' as const)
  }
  return Promise.race([once(process, 'SIGINT').then(() => 'SIGINT' as const), terminated()])
}

function explain(error: unknown): string {
  if (error instanceof ConfigError) return error.message
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'EADDRINUSE') return `The port is taken: ${message}. Choose another, as with PORT=3001.`
  return `The service could not start: ${message}`
}
