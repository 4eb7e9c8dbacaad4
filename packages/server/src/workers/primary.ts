import type { ChildProcess } from 'node:child_process'
import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Hono } from 'hono'
import type { Logger } from 'pino'
import { AggregatorRegistry, Counter, Gauge, Registry } from 'prom-client'
import type { Config } from '../config/config.ts'
import { workerProblems } from '../config/rules.ts'
import { ConfigError } from '../config/text-file.ts'
import type { Listen } from '../listen/listening.ts'
import type { WorkerMetrics } from '../operations/metrics.ts'
import { MIGRATES, type Stop, type ToPrimary, type ToWorker, WORKER } from './worker.ts'

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
  let metrics: ReturnType<typeof metricsOfWorkers> | undefined
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

/** How a worker ended; unknown of a replacement that could not start. */
interface Ended {
  readonly pid?: number | undefined
  readonly code?: number | null
  readonly signal?: string | null
}

interface WorkerPoolOptions {
  readonly count: number
  /** `restartMs`: after how many milliseconds it is replaced. */
  readonly onEnded: (ended: Ended & { readonly worker: number; readonly restartMs: number }) => void
  readonly onReplaced: (worker: number) => void
  /** Called when no worker listens, and one that should replace another one cannot start. */
  readonly onHopeless: (error: WorkerEnded) => void
}

type WorkerPool = ReturnType<typeof workerPool>

/** The workers that listen, by their number. A worker that ends is replaced. */
function workerPool({ count, onEnded, onReplaced, onHopeless }: WorkerPoolOptions) {
  const running = new Map<number, Worker>()
  const nextWait = backOff(() => performance.now())
  let stopping = false

  async function run(number: number, migrates = false): Promise<void> {
    const worker = await startWorker(number, migrates)
    running.set(number, worker)
    worker.once('exit', (code, signal) => {
      running.delete(number)
      replaceLater(number, { pid: worker.process.pid, code, signal })
    })
  }

  function replaceLater(worker: number, ended: Ended): void {
    if (stopping) return
    const restartMs = nextWait()
    onEnded({ worker, ...ended, restartMs })
    setTimeout(() => void replace(worker), restartMs)
  }

  async function replace(number: number): Promise<void> {
    if (stopping) return
    try {
      await run(number)
      onReplaced(number)
    } catch (error) {
      // The others still answer, for example in an outage of the database. Without them the supervisor must see the fault.
      if (running.size === 0 && !stopping && error instanceof WorkerEnded) onHopeless(error)
      else replaceLater(number, {})
    }
  }

  return {
    running,
    /** Resolves when all of them listen; `false` if they were stopped before. @throws WorkerEnded when one of them cannot start */
    async start(): Promise<boolean> {
      try {
        await run(1, true)
        await Promise.all(Array.from({ length: count - 1 }, (_, index) => run(index + 2)))
        return !stopping
      } catch (error) {
        if (stopping) return false
        throw error
      }
    },
    /** Tells all of them to stop; it may be called again, with the other signal. Resolves when they have ended. */
    async stop(signal: Stop): Promise<void> {
      stopping = true
      const all = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined)
      const listening = new Set(running.values())
      for (const worker of all) {
        if (listening.has(worker)) worker.send({ kind: 'stop', signal })
        else worker.process.kill('SIGKILL')
      }
      await Promise.all(all.filter((worker) => !worker.isDead()).map((worker) => once(worker, 'exit')))
    },
  }
}

const FIRST_MS = 250
const LONGEST_MS = 30_000
const QUIET_MS = 60_000

/**
 * How long to wait before an ended worker is replaced, in milliseconds: twice as long as for the one before, until no worker has
 * ended for a minute.
 *
 * @param now epoch milliseconds, or of any clock
 */
export function backOff(now: () => number): () => number {
  let last = Number.NEGATIVE_INFINITY
  let wait = FIRST_MS
  return () => {
    wait = now() - last > QUIET_MS ? FIRST_MS : Math.min(LONGEST_MS, wait * 2)
    last = now()
    return wait
  }
}

/** A worker has ended before it listened. */
class WorkerEnded extends Error {
  /** Of the whole server, if it cannot go on. */
  readonly exitCode: number

  constructor(number: number, code: number | null, signal: string | null) {
    super(`Worker ${number} ended before it listened, with ${signal ?? code}`)
    this.exitCode = code || 1
  }
}

/** Starts a process with the command line of this one. Resolves when it listens. @throws WorkerEnded */
function startWorker(number: number, migrates: boolean): Promise<Worker> {
  const worker = cluster.fork({ [WORKER]: number, ...(migrates && { [MIGRATES]: '1' }) })
  closeUntaken(worker.process)
  return new Promise((resolve, reject) => {
    worker.on('message', (message: ToPrimary) => {
      if (message.kind === 'listening') resolve(worker)
    })
    worker.once('exit', (code, signal) => reject(new WorkerEnded(number, code, signal)))
  })
}

/**
 * `node:cluster` forgets the connection that it has just sent to a worker when that worker is killed. Its client would wait until its
 * own time limit, so it is closed. A connection that the worker did take is closed already in this process.
 */
function closeUntaken(worker: ChildProcess): void {
  let last: Connection | undefined
  worker.send = new Proxy(worker.send, {
    apply(send, self, sent: unknown[]) {
      if (isConnection(sent[1])) last = sent[1]
      return Reflect.apply(send, self, sent)
    },
  })
  worker.once('exit', () => last?.close())
}

/** A handle of Node itself, which its types do not declare. */
interface Connection {
  close(): void
}

function isConnection(sent: unknown): sent is Connection {
  return typeof (sent as Partial<Connection> | undefined)?.close === 'function'
}

/** A worker whose event loop is busy for longer is missing in this scrape. */
const ANSWER_MS = 2000

/** The metrics of all workers, each with its number as the label `worker`, and of the workers themselves. */
function metricsOfWorkers(running: ReadonlyMap<number, Worker>) {
  const registry = new Registry()
  const registers = [registry]
  new Gauge({
    name: 'grantkit_workers',
    help: 'Workers that listen',
    registers,
    collect() {
      this.set(running.size)
    },
  })
  const help = 'Workers that ended without an order'
  const ended = new Counter({ name: 'grantkit_worker_ends_total', help, registers })
  const headers = { 'content-type': registry.contentType, 'cache-control': 'no-store' }
  let scrapes = 0
  return {
    workerEnded: () => ended.inc(),
    app: new Hono().get('/metrics', async (c) => {
      const scrape = scrapes++
      const collected = await Promise.all([...running.values()].map((worker) => metricsOf(worker, scrape)))
      return c.body((await registry.metrics()) + (await together(collected).metrics()), 200, headers)
    }),
  }
}

/** No two workers have equal labels, so nothing is added up. A sum keeps each of them; other aggregators would drop some. */
function together(collected: readonly WorkerMetrics[]): Registry {
  return AggregatorRegistry.aggregate(
    collected.map((metrics) => metrics.map((metric) => ({ ...metric, aggregator: 'sum' as const }))),
  )
}

async function metricsOf(worker: Worker, scrape: number): Promise<WorkerMetrics> {
  const answered = Promise.withResolvers<WorkerMetrics>()
  const listen = (message: ToPrimary) => {
    if (message.kind === 'metrics' && message.scrape === scrape) answered.resolve(message.metrics)
  }
  worker.on('message', listen)
  worker.send({ kind: 'metrics', scrape } satisfies ToWorker, () => {})
  try {
    return await Promise.race([answered.promise, sleep(ANSWER_MS, [], { ref: false })])
  } finally {
    worker.off('message', listen)
  }
}
