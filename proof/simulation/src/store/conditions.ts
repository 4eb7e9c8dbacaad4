import type { FaultRates } from '../plan/plan.ts'
import type { SeededRandom } from '../scheduler/seeded-random.ts'
import type { VirtualTime } from '../scheduler/virtual-time.ts'

/** What all replicas meet when they call the store. */
export interface Conditions {
  readonly time: VirtualTime
  readonly random: SeededRandom
  readonly rates: FaultRates
  /** The most that half of a step takes, in milliseconds. */
  readonly storeMs: number
  /** The store answers nobody until then. */
  frozenUntil: number
  /** The steps so far. */
  steps: number
}

/** The time limit of a driver, in milliseconds. */
export const STEP_LIMIT_MS = 1500
