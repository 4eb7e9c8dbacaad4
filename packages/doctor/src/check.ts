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
  /** The fault in words; `undefined` if there is none. */
  examine(evidence: Seen): string | undefined | Skipped
  /** What else to know of evidence without a fault. */
  note?(evidence: Seen): string
}

/** The evidence of a check is missing. */
export class Skipped {
  readonly reason: string

  constructor(reason: string) {
    this.reason = reason
  }
}

/** A check that is skipped if the evidence lacks what it needs. */
export function skippedWithout<Needed, Seen = Evidence>(
  needed: (evidence: Seen) => Needed | Skipped,
  examine: (seen: Needed, evidence: Seen) => string | undefined,
): Check<Seen>['examine'] {
  return (evidence) => {
    const seen = needed(evidence)
    return seen instanceof Skipped ? seen : examine(seen, evidence)
  }
}

/** @param reason why there may be none */
export function orSkipped<Needed, Seen = Evidence>(
  needed: (evidence: Seen) => Needed | undefined,
  reason: string,
): (evidence: Seen) => Needed | Skipped {
  return (evidence) => needed(evidence) ?? new Skipped(reason)
}

/** The first complaint, if there is one. */
export function firstComplaint(complaints: readonly (string | undefined | false)[]): string | undefined {
  return complaints.find((complaint): complaint is string => typeof complaint === 'string')
}
