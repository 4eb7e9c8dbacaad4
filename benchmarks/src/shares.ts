import type { Measurement } from './measurement.ts'
import { median, ratios, spread } from './statistics.ts'
import { YARDSTICK } from './targets.ts'
import type { WorkName } from './work.ts'

/** A share of the requests per second of a bare framework: the median over the rounds, and how far they spread. */
export interface Share {
  readonly median: number
  readonly spread: number
}

/** Of the bare framework that was measured beside it. */
export function shareOf({ rounds, bareRounds }: Measurement): Share {
  const shares = ratios(rounds, bareRounds)
  return { median: median(shares), spread: spread(shares) }
}

export function find(
  measurements: readonly Measurement[],
  target: string,
  work: WorkName,
): Measurement | undefined {
  return measurements.find((one) => one.target === target && one.work === work)
}

/**
 * Of bare Fastify, which makes all targets comparable: of another bare framework first, and of bare Fastify by the share
 * of that. @returns `undefined` when a link is missing
 */
export function shareOfYardstick(
  measurements: readonly Measurement[],
  measured: Measurement,
): number | undefined {
  const own = shareOf(measured).median
  if (measured.against === YARDSTICK) return own
  const bare = find(measurements, measured.against, measured.work)
  const rest = bare && shareOfYardstick(measurements, bare)
  return rest && own * rest
}

/**
 * Requests per second as they would have been had all targets run at once: the share of bare Fastify, of the median of
 * all its rounds. Rates as they were measured belong to different minutes of the machine.
 */
export function rateOf(measurements: readonly Measurement[], measured: Measurement): number {
  const share = shareOfYardstick(measurements, measured)
  const beside = measurements.filter(({ work, against }) => work === measured.work && against === YARDSTICK)
  if (share === undefined || beside.length === 0) return measured.requestsPerSecond
  return share * median(beside.flatMap(({ bareRounds }) => bareRounds))
}
