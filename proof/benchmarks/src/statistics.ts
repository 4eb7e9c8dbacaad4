import type { Measurement, Round } from './measure.ts'
import { YARDSTICK } from './targets.ts'

/** A median, and half of the range of the middle half of the values, as a share of it: single outliers do not count. */
export interface Estimate {
  readonly median: number
  readonly spread: number
}

export function estimate(values: readonly number[]): Estimate {
  const middle = quantile(values, 0.5)
  return { median: middle, spread: (quantile(values, 0.75) - quantile(values, 0.25)) / middle / 2 }
}

/** The value that a share of all values does not exceed (nearest rank; the mean of two in the middle). */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  const position = share * sorted.length
  const above = sorted[Math.min(Math.floor(position), sorted.length - 1)] ?? Number.NaN
  const between = share === 0.5 && sorted.length % 2 === 0
  return between ? (above + (sorted[position - 1] ?? above)) / 2 : above
}

/** The figures of a target, or of the one it is compared with. */
export function ratesOf({ rounds }: Measurement, half: 0 | 1): number[] {
  return rounds.map((pair) => pair[half].rate)
}

/** Round by round: what slows both halves changes no ratio. */
export function ratioOf({ rounds }: Measurement, name: keyof Round): Estimate {
  return estimate(rounds.map(([own, baseline]) => own[name] / baseline[name]))
}

/**
 * Requests per second as they would have been had all targets run at once: the share of bare Fastify, of the median of all its
 * rounds. Measured rates belong to different minutes of the machine.
 */
export function rateOf(all: readonly Measurement[], measured: Measurement): Estimate {
  const yardstick = all.filter(
    ({ workload, baseline }) => workload === measured.workload && baseline === YARDSTICK,
  )
  const bare = bareShare(all, measured)
  if (yardstick.length === 0 || bare === undefined) return estimate(ratesOf(measured, 0))
  const { median: whole } = estimate(yardstick.flatMap((one) => ratesOf(one, 1)))
  const { median: share, spread } = ratioOf(measured, 'rate')
  return { median: share * bare * whole, spread }
}

/** The share of bare Fastify that another bare framework has, which makes all targets comparable. */
function bareShare(all: readonly Measurement[], { baseline, workload }: Measurement): number | undefined {
  if (baseline === YARDSTICK) return 1
  const bare = all.find((one) => one.target === baseline && one.workload === workload)
  return bare && ratioOf(bare, 'rate').median
}

/** The most that bare Fastify spreads on a steady machine: ratios of neighbours stand much noise, but not every. */
const MAX_SPREAD = 0.05

/**
 * How much bare Fastify spread in a workload, over all pairs that it was half of. Each round counts by its share of the
 * median of its pair: a machine that is slower in the next minute changes no ratio. `undefined`: it was half of none.
 */
export function unsteadiness(all: readonly Measurement[]): number | undefined {
  const baseline = all.filter(({ baseline }) => baseline === YARDSTICK).map((one) => ratesOf(one, 1))
  const shares = baseline.flatMap((rates) => rates.map((rate) => rate / estimate(rates).median))
  return shares.length === 0 ? undefined : estimate(shares).spread
}

export function isSteady(all: readonly Measurement[]): boolean {
  return (unsteadiness(all) ?? 0) <= MAX_SPREAD
}
