import { setTimeout as sleep } from 'node:timers/promises'

/** The clock of a store under test. */
export interface Clock {
  /** Epoch seconds. */
  now(): number
  /**
   * Resolves when `now` is `time` or later. Rejects once the signal is aborted: all tests share the clock, and a test that ran
   * out of time goes on while the next one runs.
   *
   * @param signal of the test
   */
  reach(time: number, signal: AbortSignal): Promise<void>
}

/** A clock that moves only on demand. */
export function fakeClock(): Clock {
  let time = 1_800_000_000
  return {
    now: () => time,
    async reach(later, signal) {
      signal.throwIfAborted()
      time = Math.max(time, later)
    },
  }
}

/** Tolerance for the rounding of a server with its own clock. */
const ROUNDING_MS = 50

export const realClock: Clock = {
  now: () => Math.floor(Date.now() / 1000),
  reach: (time, signal) => sleep(Math.max(time * 1000 + ROUNDING_MS - Date.now(), 0), undefined, { signal }),
}
