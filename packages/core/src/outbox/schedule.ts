/** Timers that keep no process alive. */
import type { Time } from '../kernel/time.ts'

/** Milliseconds between looks at what other processes left: one read of the store each. */
const POLL_MS = 60_000
/** After the start, so that a server is created without waiting for its store. */
const FIRST_MS = 1000

export interface Schedule {
  /** Runs at this time or earlier, in epoch seconds. */
  at(due: number): void
}

interface Clock {
  /** Epoch seconds. */
  readonly now: () => number
  readonly time: Time
}

/** Runs soon, then every minute, and when something is due. */
export function schedule({ now, time }: Clock, run: () => Promise<void>): Schedule {
  let cancel: (() => void) | undefined
  let firesAt = Number.POSITIVE_INFINITY
  /** Each run decides again when the next one is. */
  function wake(milliseconds: number): void {
    // If the clock jumps, this timer still fires: a minute late at the latest.
    const at = now() + milliseconds / 1000
    if (at >= firesAt) return
    cancel?.()
    firesAt = at
    cancel = time.after(milliseconds, fire)
  }
  function fire(): void {
    firesAt = Number.POSITIVE_INFINITY
    wake(POLL_MS)
    void run()
  }
  wake(FIRST_MS)
  return { at: (due) => wake(Math.max(0, due - now()) * 1000) }
}
