import type { VerdictId } from '@grantkit/explain'
import type { Evidence } from './evidence.ts'

/** A requirement, for a deployment by default. */
export interface Check<Seen = Evidence> {
  readonly id: string
  readonly title: string
  /** How to remove the fault. */
  readonly fix: string
  /** The verdict on a sign-in that this fault stops. Absent if it stops none, but endangers users. */
  readonly causes?: VerdictId
  /** The fault in words; `undefined` if there is none, `SKIPPED` if the evidence is missing. */
  examine(evidence: Seen): string | undefined | typeof SKIPPED
  /** What else to know of evidence without a fault. */
  note?(evidence: Seen): string
}

export const SKIPPED = Symbol('skipped')

/** A check that is skipped if the evidence lacks what it needs. */
export function skippedWithout<Needed, Seen = Evidence>(
  needed: (evidence: Seen) => Needed | undefined,
  examine: (seen: Needed, evidence: Seen) => string | undefined,
): Check<Seen>['examine'] {
  return (evidence) => {
    const seen = needed(evidence)
    return seen === undefined ? SKIPPED : examine(seen, evidence)
  }
}

/** The first complaint, if there is one. */
export function firstComplaint(complaints: readonly (string | undefined | false)[]): string | undefined {
  return complaints.find((complaint): complaint is string => typeof complaint === 'string')
}
