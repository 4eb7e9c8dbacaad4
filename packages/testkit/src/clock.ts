import { setTimeout as sleep } from 'node:timers/promises'

/** The clock of a store under test. */
export interface Clock {
  /** Epoch seconds. */
  now(): number
  /** Resolves when `now` is `time` or later. */
  reach(time: number): Promise<void>
}

/** A clock that moves only on demand. */
export function fakeClock(): Clock {
  let time = 1_800_000_000
  return {
    now: () => time,
    async reach(later) {
      time = Math.max(time, later)
    },
  }
}

/** Tolerance for the rounding of a server with its own clock. */
const ROUNDING_MS = 50

export const realClock: Clock = {
  now: () => Math.floor(Date.now() / 1000),
  reach: (time) => sleep(Math.max(time * 1000 + ROUNDING_MS - Date.now(), 0)),
}
