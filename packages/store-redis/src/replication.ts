import type { Records } from '@grantkit/core/feature'
import { withTimeout } from './attempt.ts'
import type { RedisCommands } from './commands.ts'

/**
 * How many replicas must have a write before it is acknowledged. This reduces what a failover can lose, but never to
 * zero.
 */
export interface ReplicationOptions {
  readonly replicas: number
  /** In milliseconds. The answer waits no longer, even if too few replicas have the change. */
  readonly timeout: number
  /**
   * Called when too few replicas had a write in time. The write stays on the primary. For the next second no write
   * waits: a wait holds up its connection, so that a lost replica would slow down all requests.
   */
  readonly onShortfall?: ((acknowledged: number) => void) | undefined
}

const PAUSE_MS = 1000

/**
 * Waits until replicas have a write: a redeemed code, a rotated refresh token, a revoked grant; and a new record, whose answer
 * has a secret or whose loss would let an assertion be used twice.
 */
export function replicated<T>(records: Records<T>, waitForReplicas: () => Promise<void>): Records<T> {
  return {
    ...records,
    async insert(id, value, expiresAt) {
      const inserted = await records.insert(id, value, expiresAt)
      if (inserted) await waitForReplicas()
      return inserted
    },
    async replace(id, seen, value, expiresAt) {
      const replaced = await records.replace(id, seen, value, expiresAt)
      if (replaced) await waitForReplicas()
      return replaced
    },
    async remove(id) {
      const removed = await records.remove(id)
      await waitForReplicas()
      return removed
    },
  }
}

/** One wait at a time. It covers every write before it, so writes that come meanwhile share the next one. */
export function sharedWait(
  redis: RedisCommands,
  { replicas, timeout, onShortfall = () => {} }: ReplicationOptions,
): () => Promise<void> {
  let last = Promise.resolve()
  let next: Promise<void> | undefined
  let pausedUntil = Number.NEGATIVE_INFINITY

  async function start(): Promise<void> {
    next = undefined
    if (performance.now() < pausedUntil) return
    // The writes are done: if the connection breaks now, their callers must still learn that they succeeded.
    const acknowledged = await withTimeout(2 * timeout, redis.wait(replicas, timeout)).catch(() => 0)
    if (acknowledged >= replicas) return
    pausedUntil = performance.now() + PAUSE_MS
    onShortfall(acknowledged)
  }

  return () => {
    next ??= last.then(start, start)
    last = next
    return next
  }
}
