/**
 * Waiting. A request that waits and work that comes again use this port, so that a test or a simulation decides when. The clock is
 * a port of its own (`now`): it can jump, and a wait cannot.
 */
export interface Time {
  /** Resolves after so many milliseconds. A caller waits for it, so it keeps the process alive. */
  sleep(milliseconds: number): Promise<void>
  /** Calls `work` once, after so many milliseconds. It keeps no process alive. @returns cancels it */
  after(milliseconds: number, work: () => void): () => void
}

/**
 * The timers of the runtime.
 *
 * @example
 * ```ts
 * import { systemTime } from '@grantkit/core/feature'
 *
 * const cancel = systemTime.after(60_000, () => console.log('a minute later'))
 * cancel()
 * ```
 */
export const systemTime: Time = {
  sleep: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
  after(milliseconds, work) {
    const timer: unknown = setTimeout(work, milliseconds)
    // In workerd a timer may be a number.
    ;(timer as { unref?: () => void }).unref?.()
    return () => clearTimeout(timer as NodeJS.Timeout)
  },
}

/**
 * The time of the system in epoch seconds.
 *
 * @example
 * ```ts
 * import { systemClock } from '@grantkit/core/feature'
 *
 * export const expiresAt = systemClock() + 600
 * ```
 */
export function systemClock(): number {
  return Math.floor(Date.now() / 1000)
}
