import { intervalOf } from '../statistics/resolutions.ts'
import { DAY_MINUTES, MINUTE_MS } from '../time-units.ts'

/** The times that an operator can choose for a chart or a list. */
export interface TimeRange {
  readonly text: string
  readonly minutes: number
  /** The length of the intervals that its charts read and show, in minutes. */
  readonly resolution: number
  readonly step: number
}

export const RANGES = {
  '1h': { text: 'Last hour', minutes: 60, resolution: 1, step: 1 },
  '24h': { text: '24 hours', minutes: DAY_MINUTES, resolution: 10, step: 20 },
  '7d': { text: '7 days', minutes: 7 * DAY_MINUTES, resolution: 60, step: 120 },
  '30d': { text: '30 days', minutes: 30 * DAY_MINUTES, resolution: 60, step: DAY_MINUTES },
} as const satisfies Record<string, TimeRange>
export type RangeName = keyof typeof RANGES
export const RANGE_NAMES = Object.keys(RANGES) as readonly RangeName[]

/** @returns `undefined` for a range that does not exist */
export function rangeNamed(name: string | undefined): RangeName | undefined {
  return RANGE_NAMES.find((known) => known === name)
}

/** When the range begins, as the trail writes times; `undefined` without a range. */
export function sinceOf(name: RangeName | undefined): string | undefined {
  return name && new Date(Date.now() - RANGES[name].minutes * MINUTE_MS).toISOString()
}

/** The intervals of a chart. All times are minutes since the epoch. */
export interface ChartWindow extends TimeRange {
  readonly since: number
  /** Not included: the end of the current interval. */
  readonly until: number
}

/** The window that ends with the interval of this minute. */
export function windowOf(name: RangeName, minute: number): ChartWindow {
  const range = RANGES[name]
  const until = intervalOf(minute, { minutes: range.step }) + range.step
  return { ...range, since: until - range.minutes, until }
}
