import { IN_WORKER } from './in-worker.ts'

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

/** In milliseconds. The monotonic clock may stand still with its machine, and the wall clock does not. */
interface Clocks {
  readonly wall: () => number
  readonly monotonic: () => number
}

const clocks: Clocks = { wall: Date.now, monotonic: () => performance.now() }
/** One for all servers of this process. */
let stoodStill: (() => number) | undefined

/** `standstill` of this process. It is watched from the first call on. */
export function systemStandstill(): number {
  // There no timer outlives a request, and nothing waits unread.
  if (IN_WORKER) return 0
  stoodStill ??= standstills(clocks, systemTime)
  return stoodStill()
}

const TICK_MS = 500
/** A turn that is later than this was no matter of load. */
const LATE_MS = 5000
/** After a standstill, what waited meanwhile is read within this time. */
const CATCH_UP_MS = 5000

/**
 * Looks at clocks in turns: a turn that is late shows that the process stood still since the last one.
 *
 * @returns `standstill` of the kernel
 */
export function standstills({ wall, monotonic }: Clocks, time: Pick<Time, 'after'>): () => number {
  let seen = wall()
  let seenMonotonic = monotonic()
  let stood = 0
  let since = CATCH_UP_MS
  // A request may be read before the timer that is due.
  function look(): number {
    const passed = Math.max(wall() - seen, monotonic() - seenMonotonic)
    seen = wall()
    seenMonotonic = monotonic()
    if (passed > LATE_MS) {
      stood = passed + (since < CATCH_UP_MS ? stood : 0)
      since = 0
    } else since += passed
    return since < CATCH_UP_MS ? Math.ceil(stood / 1000) : 0
  }
  function turn(): void {
    look()
    time.after(TICK_MS, turn)
  }
  turn()
  return look
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
