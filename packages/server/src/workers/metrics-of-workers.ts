import type { Worker } from 'node:cluster'
import { setTimeout as sleep } from 'node:timers/promises'
import { Hono } from 'hono'
import { AggregatorRegistry, Counter, Gauge, Registry } from 'prom-client'
import type { WorkerMetrics } from '../operations/metrics.ts'
import type { ToPrimary, ToWorker } from './messages.ts'

/** The metrics of all workers, each with its number as the label `worker`, and of the workers themselves. */
export interface MetricsOfWorkers {
  readonly app: Hono
  workerEnded(): void
}

/** A worker whose event loop is busy for longer is missing in this scrape. */
const ANSWER_MS = 2000

export function metricsOfWorkers(running: ReadonlyMap<number, Worker>): MetricsOfWorkers {
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
