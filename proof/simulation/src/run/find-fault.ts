import { APPS } from '../plan/plans.ts'
import type { PlantedFault } from '../planted/planted-faults.ts'
import { checkSeed } from './check-seed.ts'

/** Of the store, within which each planted fault must be found. */
export const MAX_STEPS = 10_000

export interface Found {
  readonly seeds: number
  /** Steps of the store, those of the seed that shows the fault among them. */
  readonly steps: number
  /** What was seen. Absent: nothing in so many steps. */
  readonly seen?: string | undefined
}

/** Tries the seeds from 1 until one shows the fault, by what it is known for. */
export async function findFault({ plant, finding }: PlantedFault): Promise<Found> {
  let steps = 0
  for (let seed = 1; ; seed++) {
    const outcome = await checkSeed(seed, { maxApps: APPS, plant, shrinkMs: 0 })
    steps += outcome.steps
    const fault = outcome.failure?.fault
    const words = fault && `${fault.verdict}: ${fault.seen}`
    const seen = words !== undefined && finding.test(words) ? words : undefined
    if (seen !== undefined || steps >= MAX_STEPS) return { seeds: seed, steps, seen }
  }
}
