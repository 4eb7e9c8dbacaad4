import { setTimeout as sleep } from 'node:timers/promises'

/** The time that a store under test goes by. */
export interface Clock {
  /** Epoch seconds. */
  now(): number
  /** Returns once `now` is `time` or later. */
  reach(time: number): Promise<void>
}

/** A clock that moves only when it is told to. */
export function fakeClock(): Clock {
  let time = 1_800_000_000
  return {
    now: () => time,
    async reach(later) {
      time = Math.max(time, later)
    },
  }
}

/** A server that keeps its own time rounds it its own way, a little. */
const ROUNDING_MS = 50

export const realClock: Clock = {
  now: () => Math.floor(Date.now() / 1000),
  reach: (time) => sleep(Math.max(time * 1000 + ROUNDING_MS - Date.now(), 0)),
}
