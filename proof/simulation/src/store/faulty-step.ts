import { currentStream } from '../scheduler/random-streams.ts'
import type { SeededRandom } from '../scheduler/seeded-random.ts'
import { type Conditions, STEP_LIMIT_MS } from './conditions.ts'

/** One call of the store: what it does, and whether a second one after the first left the same. */
export interface Step<T> {
  readonly isWrite: boolean
  apply(): Promise<T>
  /** After the write was sent twice: what the driver answers. Absent: the result of the second call. */
  settle?(first: T, second: T): Promise<T>
}

class NoAnswer extends Error {
  override name = 'NoAnswer'
}

/**
 * A call as a driver makes it over a network: it takes time on its way there and back, and may fail before or after it had its
 * effect.
 *
 * @param isAlive whether the calling process still runs: one that has crashed gets no answer, and its last write may arrive
 */
export function faultyStep<T>(conditions: Conditions, isAlive: () => boolean, step: Step<T>): Promise<T> {
  const { time, storeMs } = conditions
  const random = currentStream(conditions.random)
  conditions.steps++
  const fate = fateOf(conditions, random, step.isWrite)
  return new Promise<T>((resolve, reject) => {
    const answer = (settle: () => void) =>
      time.after(random.between(0, storeMs), () => {
        if (isAlive()) settle()
      })
    const fail = () => answer(() => reject(new NoAnswer('The store gave no answer')))
    const succeed = (result: T) => (fate === 'rejectedAfter' ? fail() : answer(() => resolve(result)))
    const apply = () => step.apply().then(again, (error: unknown) => answer(() => reject(error)))
    const again = (first: T) => {
      if (fate !== 'appliedTwice') return void succeed(first)
      time.after(random.between(0, 2 * storeMs), () => void twice(first))
    }
    const twice = async (first: T) => {
      const second = await step.apply()
      const settled = step.settle === undefined ? Promise.resolve(second) : step.settle(first, second)
      settled.then(succeed, fail)
    }
    time.after(random.between(0, storeMs), () => {
      if (!isAlive() && !(step.isWrite && random.chance(0.5))) return
      if (fate === 'rejectedBefore') return void fail()
      const frozen = conditions.frozenUntil - time.now
      if (frozen <= 0) return void apply()
      if (frozen <= STEP_LIMIT_MS) return void time.after(frozen, apply)
      time.after(STEP_LIMIT_MS, fail)
      // The request of the driver is on its way, whether it waits for the answer or not.
      if (step.isWrite) time.after(frozen, () => void step.apply())
    })
  })
}

type Fate = 'rejectedBefore' | 'rejectedAfter' | 'appliedTwice' | 'good'

function fateOf({ rates }: Conditions, random: SeededRandom, isWrite: boolean): Fate {
  if (random.chance(rates.rejectedBefore)) return 'rejectedBefore'
  if (random.chance(rates.rejectedAfter)) return 'rejectedAfter'
  return isWrite && random.chance(rates.appliedTwice) ? 'appliedTwice' : 'good'
}
