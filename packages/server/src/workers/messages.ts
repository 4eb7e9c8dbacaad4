import type { WorkerMetrics } from '../operations/metrics.ts'

/** What a worker and the primary process tell each other over the channel of `node:cluster`. */

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
