import cluster from 'node:cluster'
import { EventEmitter } from 'node:events'
import type { Metrics, WorkerMetrics } from '../operations/metrics.ts'

/** This process, if it is one of several workers. */
export interface CurrentWorker {
  /** From 1. */
  readonly number: number
  /** Whether it migrates the tables. */
  readonly migrates: boolean
  /** Emits `SIGTERM` and `SIGINT` when the primary process orders it. */
  readonly orders: EventEmitter
  /** Tells the primary process that requests are answered from now on. */
  listening(metrics: Metrics | undefined): void
}

/** @returns `undefined` in a server of one process, and in the primary process of several */
export function currentWorker(): CurrentWorker | undefined {
  const number = Number(process.env[WORKER])
  if (!cluster.isWorker || !(number > 0)) return undefined
  ignoreSignals()
  const orders = new EventEmitter()
  return {
    number,
    migrates: process.env[MIGRATES] !== undefined,
    orders,
    listening(metrics) {
      process.on('message', (message: ToWorker) => {
        if (message.kind === 'stop') orders.emit(message.signal)
        else if (message.kind === 'metrics') void answerScrape(message.scrape, metrics)
      })
      tell({ kind: 'listening' })
    },
  }
}

/** A terminal and systemd send signals to all processes. The primary process decides, and tells its workers. */
function ignoreSignals(): void {
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => {})
}

async function answerScrape(scrape: number, metrics: Metrics | undefined): Promise<void> {
  tell({ kind: 'metrics', scrape, metrics: (await metrics?.collect()) ?? [] })
}

function tell(message: ToPrimary): void {
  // The channel is closed if the primary process has just ended. Then Node ends this process too.
  process.send?.(message, undefined, undefined, () => {})
}

// What a worker and the primary process tell each other over the channel of `node:cluster`.

export type Stop = 'SIGTERM' | 'SIGINT'

export type ToWorker =
  | { readonly kind: 'stop'; readonly signal: Stop }
  | { readonly kind: 'metrics'; readonly scrape: number }

export type ToPrimary =
  | { readonly kind: 'listening' }
  | { readonly kind: 'metrics'; readonly scrape: number; readonly metrics: WorkerMetrics }

/** The variable of a worker that has its number, from 1. A worker that replaces another one has the same number. */
export const WORKER = 'GRANTKIT_WORKER'
/** The variable of the first worker: it migrates the tables, and the others start after it. */
export const MIGRATES = 'GRANTKIT_WORKER_MIGRATES'
