import type { KeyedStep } from './step-row.ts'

/** Which steps have a row already. Steps of an attempt are written in their order. */
export interface WrittenSteps {
  has(step: KeyedStep): boolean
  add(step: KeyedStep): void
}

/** More than the recorder keeps. A step that is written again adds nothing, because its key is the same. */
const MAX_ATTEMPTS = 10_000

export function writtenSteps(): WrittenSteps {
  /** The key of the last written step, by reference. */
  const latest = new Map<string, string>()
  return {
    has: ({ reference, key }) => key <= (latest.get(reference) ?? ''),
    add({ reference, key }) {
      latest.delete(reference)
      latest.set(reference, key)
      const [oldest] = latest.keys()
      if (latest.size > MAX_ATTEMPTS && oldest !== undefined) latest.delete(oldest)
    },
  }
}
