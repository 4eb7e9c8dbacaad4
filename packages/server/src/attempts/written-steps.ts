import type { NumberedStep } from './step-row.ts'

/** Which steps have a row already. Steps of an attempt are written in their order. */
export interface WrittenSteps {
  has(step: NumberedStep): boolean
  add(step: NumberedStep): void
}

/** More than the recorder keeps. A step that is written again adds nothing, because its id is the same. */
const MAX_ATTEMPTS = 10_000

export function writtenSteps(): WrittenSteps {
  /** The order of the last written step, by reference. */
  const latest = new Map<string, number>()
  return {
    has: ({ reference, order }) => order <= (latest.get(reference) ?? -1),
    add({ reference, order }) {
      latest.delete(reference)
      latest.set(reference, order)
      const [oldest] = latest.keys()
      if (latest.size > MAX_ATTEMPTS && oldest !== undefined) latest.delete(oldest)
    },
  }
}
