import type { Records } from '@grantkit/core'
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
  /** Called when too few replicas had a change in time. The change stays on the primary. */
  readonly onShortfall?: ((acknowledged: number) => void) | undefined
}

/**
 * Waits until replicas have a change: a redeemed code, a rotated refresh token, a revoked grant. A new grant does not
 * wait: if it is lost, none of its secrets has been sent.
 */
export function replicated<T>(
  records: Records<T>,
  redis: RedisCommands,
  { replicas, timeout, onShortfall = () => {} }: ReplicationOptions,
): Records<T> {
  async function waitForReplicas(): Promise<void> {
    // The change is done: if the connection breaks now, the caller must still learn that it succeeded.
    const acknowledged = await withTimeout(2 * timeout, redis.wait(replicas, timeout)).catch(() => 0)
    if (acknowledged < replicas) onShortfall(acknowledged)
  }

  return {
    ...records,
    async replace(id, seen, value, expiresAt) {
      const replaced = await records.replace(id, seen, value, expiresAt)
      if (replaced) await waitForReplicas()
      return replaced
    },
    async remove(id) {
      await records.remove(id)
      await waitForReplicas()
    },
  }
}
