import { styleText } from 'node:util'
import type { Config } from './config/config.ts'
import { ConfigError } from './config/text-file.ts'
import type { ConfiguredService } from './definition.ts'
import { createLogger } from './operations/logging.ts'
import type { StartOptions } from './server.ts'
import { currentWorker } from './workers/worker.ts'

/** Starts a server, until a signal stops it. If it cannot start, it says why and sets the exit code. */
export async function startServer<Configured extends Config>(
  options: StartOptions<Configured>,
): Promise<void> {
  const worker = currentWorker()
  try {
    const configured = await options.load()
    const { workers: count = configured.config.workers } = options
    if (worker === undefined && count > 1) await startWorkers(options, configured, count)
    else {
      const { serveHere } = await import('./server.ts')
      await serveHere(options, configured, worker)
    }
  } catch (error) {
    console.error(styleText('red', explain(error)))
    // The channel to the primary process would keep a worker alive.
    if (worker !== undefined) process.exit(1)
    process.exitCode = 1
  }
}

/** The primary process of several loads neither drivers nor pages. */
async function startWorkers<Configured extends Config>(
  { listen }: StartOptions<Configured>,
  { config }: ConfiguredService<Configured>,
  count: number,
): Promise<void> {
  const { runWorkers } = await import('./workers/primary.ts')
  await runWorkers(config, { count, log: createLogger(config), listen: listen(config) })
}

function explain(error: unknown): string {
  if (error instanceof ConfigError) return error.message
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'EADDRINUSE') return `The port is taken: ${message}. Choose another, as with PORT=3001.`
  return `The service could not start: ${message}`
}
