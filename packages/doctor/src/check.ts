import type { Evidence } from './evidence.ts'

/** One thing that a deployment has to get right. */
export interface Check {
  readonly id: string
  readonly title: string
  /** How to remove the fault. */
  readonly fix: string
  /** The fault in words, `undefined` when there is none, `SKIPPED` when there is nothing to look at. */
  examine(evidence: Evidence): string | undefined | typeof SKIPPED
}

export const SKIPPED = Symbol('skipped')

/** A check that is skipped unless the evidence holds what it needs. */
export function needing<Needed>(
  needed: (evidence: Evidence) => Needed | undefined,
  examine: (seen: Needed, evidence: Evidence) => string | undefined,
): Check['examine'] {
  return (evidence) => {
    const seen = needed(evidence)
    return seen === undefined ? SKIPPED : examine(seen, evidence)
  }
}

/** The first complaint there is. */
export function firstOf(complaints: readonly (string | undefined | false)[]): string | undefined {
  return complaints.find((complaint): complaint is string => typeof complaint === 'string')
}
