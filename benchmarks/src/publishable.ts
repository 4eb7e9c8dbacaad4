import type { Measurement } from './measurement.ts'
import { median, spread } from './statistics.ts'
import { YARDSTICK } from './targets.ts'
import type { WorkName } from './work.ts'

/** Ratios of neighbours stand much noise, but not every: the most that bare Fastify may spread within a workload. */
const MAX_SPREAD = 0.1

interface Steadiness {
  readonly work: WorkName
  readonly spread: number
}

/**
 * How much bare Fastify spread in each workload, over all pairs that it was half of. Each round counts by its share of the
 * median of its pair: a machine that is slower in the next minute changes no ratio.
 */
export function steadiness(measurements: readonly Measurement[]): Steadiness[] {
  const beside = measurements.filter(({ against }) => against === YARDSTICK)
  return [...Map.groupBy(beside, ({ work }) => work)].map(([work, pairs]) => ({
    work,
    spread: spread(pairs.flatMap(sharesOfMedian)),
  }))
}

function sharesOfMedian({ bareRounds }: Measurement): number[] {
  const middle = median(bareRounds)
  return bareRounds.map((rate) => rate / middle)
}

interface Measured {
  readonly measurements: readonly Measurement[]
}

export function isSteady({ measurements }: Measured): boolean {
  return unsteady(measurements).length === 0
}

/** A run without the workloads in which the machine was unsteady: those have to be measured again. */
export function steadyPart<Run extends Measured>(run: Run): Run {
  const again = unsteady(run.measurements).map(({ work }) => work)
  return { ...run, measurements: run.measurements.filter(({ work }) => !again.includes(work)) }
}

function unsteady(measurements: readonly Measurement[]): Steadiness[] {
  return steadiness(measurements).filter(({ spread }) => !(spread < MAX_SPREAD))
}

/** What a saved run is judged by. */
interface Judged extends Measured {
  /** Whether every row and workload was asked for. */
  readonly complete: boolean
}

/** Why a saved run must not be published; `undefined` if it may be. */
export function refusal({ complete, measurements }: Judged): string | undefined {
  if (complete !== true) return 'Not publishable: not everything was measured. Run `pnpm bench`.'
  return isSteady({ measurements }) ? undefined : verdict(measurements)
}

/** One line for a person: whether the run may be published, and if not, why. */
export function verdict(measurements: readonly Measurement[]): string {
  const failed = unsteady(measurements)
  const inWords = failed.map(({ work, spread }) => `${(spread * 100).toFixed(0)} % in ${work}`)
  return failed.length === 0
    ? `Publishable: the rounds of bare Fastify spread by less than ${MAX_SPREAD * 100} % in every workload.`
    : `Not publishable: the rounds of bare Fastify spread by ${inWords.join(', ')}; ${MAX_SPREAD * 100} % is allowed.`
}
