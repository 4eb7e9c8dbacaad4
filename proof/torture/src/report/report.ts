import type { Finding } from '../history/finding.ts'

/** What a run found. */
export interface Report {
  readonly issuer: string
  readonly seed: string
  readonly findings: readonly Finding[]
  /** How many rounds the run planned, and how many came to an end before its limits. */
  readonly rounds: { readonly planned: number; readonly ended: number }
}

export type FailOn = 'unsafe' | 'lossy' | 'noisy'

const FAILING: readonly FailOn[] = ['unsafe', 'lossy', 'noisy']

/**
 * 1: a finding at least as bad as `failOn`. 3: nothing found, but less than half of the rounds came to an end or a check
 * could not be decided, so it may be there. 0: neither.
 */
export function exitCode({ findings, rounds }: Report, failOn: FailOn = 'lossy'): 0 | 1 | 3 {
  const failing: readonly string[] = FAILING.slice(0, FAILING.indexOf(failOn) + 1)
  if (findings.some(({ verdict }) => failing.includes(verdict))) return 1
  const judged = findings.some(({ verdict }) => verdict !== 'skipped' && verdict !== 'unknown')
  const undecided = findings.some(({ verdict }) => verdict === 'unknown')
  return !judged || undecided || rounds.ended * 2 < rounds.planned ? 3 : 0
}
