import { DAY_MINUTES } from '../time-units.ts'

/** How fine counts are, and for how long they stay. All times are minutes since the epoch. */
export interface Resolution {
  /** The length of an interval, in minutes. */
  readonly minutes: number
  /** For how many minutes its rows are kept. */
  readonly kept: number
}

const HOUR = 60

/** A chart of a month reads hours and one of an hour reads minutes: the table stays small, and no chart reads many rows. */
export const RESOLUTIONS = [
  { minutes: 1, kept: 3 * HOUR },
  { minutes: 10, kept: 3 * DAY_MINUTES },
  { minutes: HOUR, kept: 32 * DAY_MINUTES },
] as const satisfies readonly Resolution[]

/** The beginning of the interval that has this minute. */
export function intervalOf(minute: number, { minutes }: Pick<Resolution, 'minutes'>): number {
  return minute - (minute % minutes)
}

export function minuteOf(milliseconds: number): number {
  return Math.floor(milliseconds / 60_000)
}
