/** The records of messages that wait for one receiver, and what they say. */
import type { Transient } from '../kernel/records.ts'

/** Seconds: longer than the last attempt takes. A message that is older has expired. */
export const KEPT_SECONDS = 30 * 60 * 60

/** A message that waits: ids, and no token. */
export interface Entry<Facts> {
  readonly id: string
  /** Epoch seconds. */
  readonly storedAt: number
  readonly due: number
  /** How often it was tried. */
  readonly attempts: number
  readonly facts: Facts
}

/** Messages in a record of their own. */
export interface Batch {
  readonly id: string
  readonly due: number
  readonly storedAt: number
  readonly count: number
}

export interface Queue<Facts> extends Transient {
  readonly kind: 'outbox-queue'
  readonly target: string
  readonly entries: readonly Entry<Facts>[]
  readonly batches: readonly Batch[]
  /** What the holder of the lease delivers. Who finds them under an ended lease delivers them again. */
  readonly running: readonly Entry<Facts>[]
  readonly lease?: { readonly by: string; readonly until: number } | undefined
  /** It is empty, and not in the directory or about to leave it. */
  readonly closed?: true | undefined
}

export interface StoredBatch<Facts> extends Transient {
  readonly kind: 'outbox-batch'
  readonly entries: readonly Entry<Facts>[]
}

/** A queue without a record. */
export const EMPTY_QUEUE = {
  kind: 'outbox-queue',
  expiresAt: 0,
  entries: [],
  batches: [],
  running: [],
  closed: true,
} as const

/** How many messages wait. */
export function waitingIn({ entries, batches, running }: Queue<unknown>): number {
  return batches.reduce((sum, { count }) => sum + count, entries.length + running.length)
}

/** When the queue needs a worker; `undefined` if it is empty. */
export function dueIn({ entries, batches, running, lease }: Queue<unknown>): number | undefined {
  const free = lease?.until ?? 0
  if (running.length > 0) return free
  const due = dueOf([...entries, ...batches])
  return due === Number.POSITIVE_INFINITY ? undefined : Math.max(due, free)
}

/** When the first of them is due. */
export function dueOf(all: readonly { readonly due: number }[]): number {
  return Math.min(...all.map(({ due }) => due))
}
