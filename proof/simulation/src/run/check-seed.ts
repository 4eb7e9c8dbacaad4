import fc from 'fast-check'
import { type Fault, judgeRun } from '../history/judge-run.ts'
import type { Plan } from '../plan/plan.ts'
import { plansFor } from '../plan/plans.ts'
import type { Plant } from '../service/replica.ts'
import { type Run, simulate } from './simulate.ts'

export interface Outcome {
  readonly steps: number
  readonly operations: number
  /** Families of which nothing can be said. */
  readonly unknown: number
  readonly failure?: Failure | undefined
}

/** A plan that shows a fault, made smaller as far as the time allowed. */
export interface Failure {
  readonly seed: number
  /** Of fast-check: the way from the plan of the seed to the smaller one. */
  readonly path: string
  readonly plan: Plan
  readonly fault: Fault
}

export interface CheckOptions {
  readonly maxApps: number
  /** Makes the planted fault of each run: some remember. */
  readonly plant?: (() => Plant) | undefined
  /** For a path of fast-check: the smaller plan alone. */
  readonly path?: string | undefined
  /** How long a failed plan is made smaller, in milliseconds. 0: not at all. Default: 20 seconds. */
  readonly shrinkMs?: number | undefined
}

/** One seed in so many runs twice. */
const TWICE = 20

/** Runs the plan of a seed. A plan that shows a fault is made smaller. @throws ForeignWaitError */
export async function checkSeed(seed: number, options: CheckOptions): Promise<Outcome> {
  const { maxApps, plant, path, shrinkMs = 20_000 } = options
  let first: Tried | undefined
  let end = Number.POSITIVE_INFINITY
  let broken: Error | undefined
  let smallest: Tried | undefined
  const property = fc.asyncProperty(plansFor(maxApps), async (plan) => {
    if (broken !== undefined || performance.now() > end) return true
    const tried = await attempt(plan, plant, seed).catch((error: Error) => {
      broken = error
    })
    if (tried === undefined) return true
    // Not the time limit of fast-check: on a busy machine it may be over before the first run is.
    if (first === undefined) end = performance.now() + shrinkMs
    first ??= tried
    const isSame = tried.faults.some(({ check, verdict }) => isLike(first, check, verdict))
    if (isSame) smallest = tried
    return !isSame
  })
  const endOnFailure = shrinkMs === 0
  const details = await fc.check(property, { seed, numRuns: 1, endOnFailure, ...(path && { path }) })
  if (broken !== undefined) throw broken
  if (first === undefined) throw new Error('Nothing was run')
  const { steps, operations } = first.run
  const counts = { steps, operations: operations.length, unknown: first.unknown }
  const fault = smallest?.faults[0]
  if (smallest === undefined || fault === undefined) return counts
  return { ...counts, failure: { seed, path: details.counterexamplePath ?? '0', plan: smallest.plan, fault } }
}

interface Tried {
  readonly plan: Plan
  readonly run: Run
  readonly faults: readonly Fault[]
  readonly unknown: number
}

function isLike(first: Tried | undefined, check: string, verdict: string): boolean {
  return first?.faults.some((fault) => fault.check === check && fault.verdict === verdict) ?? false
}

async function attempt(plan: Plan, plant: (() => Plant) | undefined, seed: number): Promise<Tried> {
  const run = await simulate(plan, plant?.())
  const { faults, unknown } = judgeRun(plan, run)
  const again = seed % TWICE === 0 ? await simulate(plan, plant?.()) : run
  const repeated = again === run || again.hash() === run.hash() ? [] : [differs(run, again)]
  return { plan, run, unknown, faults: [...faults, ...repeated] }
}

function differs(one: Run, other: Run): Fault {
  const at = one.operations.findIndex((operation, place) => !isEqual(operation, other.operations[place]))
  const timeline = [one, other].map(({ operations }) => JSON.stringify(operations[at]) ?? 'nothing')
  return { check: 'determinism', verdict: 'unsafe', seen: 'The same plan gave two histories.', timeline }
}

function isEqual(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
