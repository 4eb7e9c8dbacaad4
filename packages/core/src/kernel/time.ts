import { type Random, strongRandom } from './secrets.ts'

/** Waiting, a port so that a test or a simulation decides when. The clock is another one (`now`): it can jump, and a wait cannot. */
export interface Time {
  /** Resolves after so many milliseconds. A caller waits for it, so it keeps the process alive. */
  sleep(milliseconds: number): Promise<void>
  /** Calls `work` once, after so many milliseconds. It keeps no process alive. @returns cancels it */
  after(milliseconds: number, work: () => void): () => void
}

/** The timers of the runtime. */
export const systemTime: Time = {
  sleep: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
  after(milliseconds, work) {
    const timer = unreferenced(setTimeout(work, milliseconds))
    return () => clearTimeout(timer)
  },
}

/** In workerd a timer may be a number. */
function unreferenced(timer: Partial<NodeJS.Timeout>): NodeJS.Timeout {
  timer.unref?.()
  return timer as NodeJS.Timeout
}

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
 * The pause before a compare-and-swap is tried again. It grows and is random: those who lost together come back one by one.
 *
 * @param attempt the number of the attempt that lost, from 0
 */
export function pauseAfter(attempt: number, { time = systemTime, random }: WaitingPorts): Promise<void> {
  return time.sleep(Math.min(FIRST_PAUSE * 2 ** attempt, MAX_PAUSE) * fraction(random))
}

/**
 * In milliseconds. The monotonic clock may stand still with its machine, and the wall clock does not. Those of the start: a test
 * that turns the clocks of its process must neither stop the watch nor look like a standstill.
 */
const clocks = { wall: Date.now, monotonic: performance.now.bind(performance) }
const { setTimeout: setRealTimeout } = globalThis
/** One for all servers of this process. */
let stoodStill: (() => number) | undefined

/** `standstill` of this process. It is watched from the first call on. */
export function systemStandstill(): number {
  // There no timer outlives a request, and nothing waits unread.
  if (IN_WORKER) return 0
  stoodStill ??= standstills(clocks, (milliseconds, work) => unreferenced(setRealTimeout(work, milliseconds)))
  return stoodStill()
}

const TICK_MS = 500
/** A turn that is later than this was no matter of load. */
const LATE_MS = 5000
/** After a standstill, what waited meanwhile is read within this time. */
const CATCH_UP_MS = 5000

/** Looks at clocks in turns: a late one shows that the process stood still. @returns `standstill` of the kernel */
export function standstills(
  { wall, monotonic }: typeof clocks,
  after: (milliseconds: number, work: () => void) => void,
): () => number {
  let seen = wall()
  let seenMonotonic = monotonic()
  let stood = 0
  let since = CATCH_UP_MS
  function look(): void {
    const passed = Math.max(wall() - seen, monotonic() - seenMonotonic)
    seen = wall()
    seenMonotonic = monotonic()
    if (passed > LATE_MS) {
      stood = passed + (since < CATCH_UP_MS ? stood : 0)
      since = 0
    } else since += passed
  }
  function turn(): void {
    look()
    after(TICK_MS, turn)
  }
  turn()
  return () => {
    // A request may be read before the timer that is due.
    if (wall() - seen > LATE_MS) look()
    return since < CATCH_UP_MS ? Math.ceil(stood / 1000) : 0
  }
}

/** The time of the system in epoch seconds. */
export function systemClock(): number {
  return Math.floor(Date.now() / 1000)
}

/** A Cloudflare Worker: no timer, connection or randomness outlives a request, and none exists when a module is loaded. */
export const IN_WORKER: boolean =
  (globalThis as { navigator?: { userAgent?: string } }).navigator?.userAgent === 'Cloudflare-Workers'
