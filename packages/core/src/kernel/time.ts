import { type Random, strongRandom } from './secrets.ts'

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

/** How a caller waits and draws. */
export interface WaitingPorts {
  readonly time?: Time | undefined
  readonly random?: Random | undefined
}

/** From 0 to 1, without 1. */
export function fraction(random: Random = strongRandom): number {
  const [high = 0, low = 0] = random(2)
  return (256 * high + low) / 65_536
}

/** In milliseconds. The first is about as long as a write; the last lets a hundred processes pass one after the other. */
const [FIRST_PAUSE, MAX_PAUSE] = [8, 512]

/**
 * The pause after a lost race, before a compare-and-swap is tried again. It grows and is random: those who lost together come back
 * one by one.
 *
 * @param attempt the number of the attempt that lost, from 0
 */
export function pauseAfter(attempt: number, { time = systemTime, random }: WaitingPorts): Promise<void> {
  return time.sleep(Math.min(FIRST_PAUSE * 2 ** attempt, MAX_PAUSE) * fraction(random))
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
