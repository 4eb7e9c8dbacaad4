import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { styleText } from 'node:util'
import type { Logger } from 'pino'
import { refusePublicPasswords } from './accounts/open-accounts.ts'
import { readCommandLine } from './commands/command-line.ts'
import type { OnEvent } from './events.ts'
import { FRAMEWORKS } from './frameworks/frameworks.ts'
import { createLogger, logErrors, logEvents } from './operations/logging.ts'
import type { Metrics } from './operations/metrics.ts'
import { basePathOf, createService } from './service.ts'
import { parseSettings, type Settings, SettingsError } from './settings/settings.ts'
import { openStorage, type Storage } from './storage.ts'

/** Starts the reference service. */

readCommandLine(
  'pnpm start\n\nThe settings are variables of the environment: see apps/reference/README.md.',
  {},
)

try {
  await start(parseSettings(process.env))
} catch (error) {
  console.error(styleText('red', explain(error)))
  process.exitCode = 1
}

async function start(settings: Settings): Promise<void> {
  const log = createLogger(settings)
  const storage = await openStorage(settings, (warning) => log.warn(warning))
  try {
    await serve(settings, log, storage)
  } catch (error) {
    // Its connections and timers would keep the process alive.
    await storage.close()
    throw error
  }
}

async function serve(settings: Settings, log: Logger, storage: Storage): Promise<void> {
  const onError = logErrors(log)
  const metrics = settings.METRICS_PORT === undefined ? undefined : await metricsOf(settings)
  const logEvent = logEvents(log)
  const onEvent: OnEvent = (event) => {
    logEvent(event)
    metrics?.onEvent(event)
  }
  const service = await createService(
    settings,
    { onEvent, onError, around: metrics && [metrics.timing] },
    storage,
  )
  if (settings.NODE_ENV === 'production') await refusePublicPasswords(service.accounts)
  const { HOST: host, PORT: port, METRICS_PORT } = settings
  const listen = FRAMEWORKS[settings.FRAMEWORK]
  const https = settings.BASE_URL.startsWith('https:')
  const routes = service.routes.map((route) => metrics?.timed(route) ?? route)
  const listening = await listen({ routes, app: service.app }, { host, port, https })
  if (metrics && METRICS_PORT)
    await listen({ routes: [], app: metrics.app }, { host, port: METRICS_PORT, https: false })
  const drain = () => {
    service.drain()
    listening.drain()
  }
  void stopSignal(drain, settings.DRAIN_SECONDS).then(async (signal) => {
    log.info({ signal }, 'stopping')
    await listening.close()
    await storage.close()
    process.exit(0)
  })
  // If the output is not a terminal, every line is JSON.
  if (settings.NODE_ENV === 'production') log.info({ address: settings.BASE_URL, host, port }, 'listening')
  else console.log(banner(settings, service.demo))
}

/** Loaded only if metrics are enabled. */
async function metricsOf({ BASE_URL }: Settings): Promise<Metrics> {
  const { createMetrics } = await import('./operations/metrics.ts')
  return createMetrics(basePathOf(BASE_URL))
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

function banner({ BASE_URL, FRAMEWORK }: Settings, demo: boolean): string {
  return `
  ${styleText('bold', 'Harbour School')}, a service of Grantkit, on ${FRAMEWORK}

  Address    ${styleText('cyan', BASE_URL)}
  Metadata   ${BASE_URL}/.well-known/oauth-authorization-server
${demo ? '  Account    demo@example.com, password demo\n' : ''}
  Try next   npx -y pnpm@12 demo${BASE_URL === 'http://127.0.0.1:3000' ? '' : ` --url ${BASE_URL}`}
`
}

function explain(error: unknown): string {
  if (error instanceof SettingsError) return error.message
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'EADDRINUSE') return `The port is taken: ${message}. Choose another, as with PORT=3001.`
  return `The service could not start: ${message}`
}
