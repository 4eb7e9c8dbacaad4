import type { Logger } from 'pino'
import type { Config } from './config/config.ts'
import { workloadWarnings } from './config/workload-names.ts'
import type { ConfiguredService, LoadService } from './configured-service.ts'
import type { OnEvent } from './events.ts'
import type { Listen } from './listen/listening.ts'
import { sendsHsts } from './listen/standing-headers.ts'
import { createLogger, logErrors, logEvents } from './operations/logging.ts'
import type { Metrics } from './operations/metrics.ts'
import { createService, type Service } from './service.ts'
import { stopSignal } from './stop-signal.ts'
import { openStorage, type Storage } from './storage.ts'
import type { CurrentWorker } from './workers/worker.ts'

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
  for (const warning of workloadWarnings(config)) log.warn(warning)
  const demo = options.demo || undefined
  const migrating = worker?.migrates ?? true
  const storage = await openStorage(config, (warning) => log.warn(warning), { definition, demo, migrating })
  try {
    await serve(options, configured, { log, storage, worker })
  } catch (error) {
    // Its connections and timers would keep the process alive.
    await storage.close()
    throw error
  }
}

interface Parts {
  readonly log: Logger
  readonly storage: Storage
  readonly worker: CurrentWorker | undefined
}

async function serve<Configured extends Config>(
  { listen: listenBy, banner }: StartOptions<Configured>,
  configured: ConfiguredService<Configured>,
  { log, storage, worker }: Parts,
): Promise<void> {
  const { config, definition } = configured
  const onError = logErrors(log)
  const metrics = config.metricsPort === undefined ? undefined : await newMetrics(worker?.number)
  const logEvent = logEvents(log)
  const onEvent: OnEvent = (event) => {
    logEvent(event)
    metrics?.onEvent(event)
  }
  const onWarning = (warning: string) => log.warn(warning)
  const observers = { onEvent, onError, onWarning, onResponse: metrics?.onResponse }
  const service = await createService({ definition, config, observers, storage })
  const { host, port, metricsPort } = config
  const listen = listenBy(config)
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
  else if (worker?.migrates ?? true) console.log(await banner(configured, service))
}

/** Loaded only if metrics are enabled. */
async function newMetrics(worker: number | undefined): Promise<Metrics> {
  const { createMetrics } = await import('./operations/metrics.ts')
  return createMetrics(worker)
}
