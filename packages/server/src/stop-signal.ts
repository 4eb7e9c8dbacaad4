import { type EventEmitter, once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Resolves when the service has to stop. SIGTERM comes from a deployment: a load balancer gets time to notice the
 * drain. SIGINT comes from a person at a terminal: it stops at once, even during a drain.
 *
 * @param source emits the signals: the process, or what the primary process orders
 */
export function stopSignal(
  source: EventEmitter,
  drain: () => void,
  drainSeconds: number,
): Promise<NodeJS.Signals> {
  const terminated = async () => {
    await once(source, 'SIGTERM')
    drain()
    return sleep(drainSeconds * 1000, 'SIGTERM' as const)
  }
  return Promise.race([once(source, 'SIGINT').then(() => 'SIGINT' as const), terminated()])
}
