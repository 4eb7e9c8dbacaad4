import type { Records } from '@grantkit/core/feature'
import { withTimeout } from './attempt.ts'
import type { RedisCommands } from './commands.ts'

/**
 * How many replicas must have a change before it is acknowledged. This reduces what a failover can lose, but never to
 * zero.
 */
export interface ReplicationOptions {
  readonly replicas: number
  /** In milliseconds. The answer waits no longer, even if too few replicas have the change. */
  readonly timeout: number
  /**
   * Called when too few replicas had a change in time. The change stays on the primary. For the next second no change
   * waits: a wait holds up its connection, so that a lost replica would slow down all requests.
   */
  readonly onShortfall?: ((acknowledged: number) => void) | undefined
}

const PAUSE_MS = 1000

/**
 * Waits until replicas have a change: a redeemed code, a rotated refresh token, a revoked grant. A new grant does not
 * wait: if it is lost, none of its secrets has been sent.
 */
export function replicated<T>(
  records: Records<T>,
  redis: RedisCommands,
  options: ReplicationOptions,
): Records<T> {
  const waitForReplicas = sharedWait(redis, options)
  return {
    ...records,
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

/** One wait at a time. It covers every change before it, so changes that come meanwhile share the next one. */
function sharedWait(
  redis: RedisCommands,
  { replicas, timeout, onShortfall = () => {} }: ReplicationOptions,
): () => Promise<void> {
  let last = Promise.resolve()
  let next: Promise<void> | undefined
  let pausedUntil = Number.NEGATIVE_INFINITY

  async function start(): Promise<void> {
    next = undefined
    if (performance.now() < pausedUntil) return
    // The changes are done: if the connection breaks now, their callers must still learn that they succeeded.
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
