import type { Records } from '@grantkit/core'
import { within } from './attempt.ts'
import type { RedisCommands } from './commands.ts'

/** How far a change must have come before it is answered. It lowers what a failover can lose, and never to nothing. */
export interface ReplicationOptions {
  readonly replicas: number
  /** In milliseconds: the answer waits no longer, whether or not enough replicas have the change. */
  readonly timeout: number
  /** Hears of a change that too few replicas had in time. It stands on the primary. */
  readonly onShortfall?: (acknowledged: number) => void
}

/**
 * Records whose changes are waited for until replicas have them: a code that was redeemed, a refresh token that was
 * rotated, a grant that was revoked. A new grant is not: if it is lost, nothing was handed out that works.
 */
export function replicated<T>(
  records: Records<T>,
  redis: RedisCommands,
  { replicas, timeout, onShortfall = () => {} }: ReplicationOptions,
): Records<T> {
  async function settle(): Promise<void> {
    // The change stands: a connection that breaks now is no reason to tell the caller that nothing happened.
    const acknowledged = await within(2 * timeout, redis.wait(replicas, timeout)).catch(() => 0)
    if (acknowledged < replicas) onShortfall(acknowledged)
  }

  return {
    ...records,
    async replace(id, seen, value, expiresAt) {
      const replaced = await records.replace(id, seen, value, expiresAt)
      if (replaced) await settle()
      return replaced
    },
    async remove(id) {
      await records.remove(id)
      await settle()
    },
  }
}
