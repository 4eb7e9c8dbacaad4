import type { CheckId } from '../check-id.ts'

/**
 * `unsafe`: somebody gets or keeps what is not theirs. `lossy`: an honest client loses its grant. `noisy`: a fault that
 * costs neither. `declared`: not the best, but declared. `unknown`: too many requests without an answer to tell.
 */
export type Verdict = 'unsafe' | 'lossy' | 'noisy' | 'declared' | 'passed' | 'skipped' | 'unknown'

/** The worst first. */
export const VERDICTS: readonly Verdict[] = [
  'unsafe',
  'lossy',
  'noisy',
  'unknown',
  'declared',
  'passed',
  'skipped',
]

/** What a check found. */
export interface Finding {
  readonly id: CheckId
  readonly title: string
  readonly verdict: Verdict
  /** What was seen, in a sentence. */
  readonly seen: string
  /** How to remove the fault. Empty without one. */
  readonly fix: string
  /** The sections that it breaks. Empty without a fault. */
  readonly rfc: string
  /** The smallest set of operations that breaks the rule, as a timeline of at most 12 lines. */
  readonly counterexample?: readonly string[] | undefined
  /** The command that runs this check with this seed again. */
  readonly rerun?: string | undefined
}
