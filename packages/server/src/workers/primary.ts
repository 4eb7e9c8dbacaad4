import cluster from 'node:cluster'
import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import { ConfigError } from '../config/config-error.ts'
import { workerProblems } from '../config/workers.ts'
import type { Listen } from '../listen/listening.ts'
import type { Stop } from './messages.ts'
import { type MetricsOfWorkers, metricsOfWorkers } from './metrics-of-workers.ts'
import { type WorkerPool, workerPool } from './pool.ts'
import { WorkerEnded } from './worker-process.ts'

interface PrimaryOptions {
  readonly count: number
  readonly log: Logger
  readonly listen: Listen
}

/**
 * The first process of a server with several workers: it accepts connections and hands each to a worker. It answers no request but
 * those for metrics.
 *
 * @throws Error when the server cannot start
 */
export async function runWorkers(config: Config, { count, log, listen }: PrimaryOptions): Promise<void> {
  const problems = workerProblems(config)
  if (problems.length > 0) throw new ConfigError(problems)
  // Also on Windows, where the system would decide. A worker that stands still gets one connection, not its share.
  cluster.schedulingPolicy = cluster.SCHED_RR
  let metrics: MetricsOfWorkers | undefined
  const pool: WorkerPool = workerPool({
    count,
    onEnded(ended) {
      log.error(ended, 'worker_ended')
      metrics?.workerEnded()
    },
    onReplaced: (worker) => log.warn({ worker }, 'worker_replaced'),
    onHopeless: (error) => void endAll(error, pool),
  })
  const { host, metricsPort } = config
  if (metricsPort !== undefined) {
    metrics = metricsOfWorkers(pool.running)
    await listen({ routes: [], app: metrics.app }, { host, port: metricsPort, hsts: false })
  }
  const stop = async (signal: Stop) => {
    log.info({ signal }, 'stopping')
    await pool.stop(signal)
    process.exit(0)
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, stop)
  if (await pool.start().catch((error) => endAll(error, pool))) log.info({ workers: count }, 'listening')
}

/** The worker has said why. */
async function endAll(error: unknown, pool: WorkerPool): Promise<never> {
  await pool.stop('SIGINT')
  if (!(error instanceof WorkerEnded)) throw error
  console.error(error.message)
  process.exit(error.exitCode)
}
