/** Timers that keep no process alive. */

/** Milliseconds between looks at what other processes left: one read of the store each. */
const POLL_MS = 60_000
/** After the start, so that a server is created without waiting for its store. */
const FIRST_MS = 1000

export interface Schedule {
  /** Runs at this time or earlier, in epoch seconds. */
  at(due: number): void
}

/**
 * Runs soon, then every minute, and when something is due.
 *
 * @param now epoch seconds
 */
export function schedule(now: () => number, run: () => Promise<void>): Schedule {
  let timer: ReturnType<typeof setTimeout> | undefined
  let firesAt = Number.POSITIVE_INFINITY
  /** Each run decides again when the next one is. */
  function wake(milliseconds: number): void {
    const at = performance.now() + milliseconds
    if (at >= firesAt) return
    clearTimeout(timer)
    firesAt = at
    timer = setTimeout(fire, milliseconds)
    // Absent where timers are numbers.
    ;(timer as { unref?: () => void }).unref?.()
  }
  function fire(): void {
    firesAt = Number.POSITIVE_INFINITY
    wake(POLL_MS)
    void run()
  }
  wake(FIRST_MS)
  return { at: (due) => wake(Math.max(0, due - now()) * 1000) }
}
