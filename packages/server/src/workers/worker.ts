import cluster from 'node:cluster'
import { EventEmitter } from 'node:events'
import type { Metrics } from '../operations/metrics.ts'
import { MIGRATES, type ToPrimary, type ToWorker, WORKER } from './messages.ts'

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
