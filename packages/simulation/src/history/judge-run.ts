import { type Finding, judge, type Operation } from '@grantkit/torture'
import type { Plan } from '../plan/plan.ts'
import type { Run } from '../run/simulate.ts'
import { declaredBy } from './declared.ts'
import { withoutRevokedParents } from './exchanged-tokens.ts'
import { ownAnswers } from './own-answers.ts'

/** What a run should not have shown. */
export interface Fault {
  /** A check of the judge, or `retry-window`. */
  readonly check: string
  readonly verdict: string
  readonly seen: string
  /** At most 12 lines. */
  readonly timeline: readonly string[]
}

const FAULTY = new Set<Finding['verdict']>(['unsafe', 'lossy', 'noisy'])

export interface Judgement {
  readonly faults: readonly Fault[]
  /** Families with too many requests without an answer: nothing can be said. */
  readonly unknown: number
}

/** Judges a run by the rules of `@grantkit/torture`, family by family, and by those of Grantkit's own answers. */
export function judgeRun(plan: Plan, { operations, lostFamilies }: Run): Judgement {
  const declared = declaredBy(plan)
  const { rest, wrong } = ownAnswers(operations)
  // A guard that is behind does not know the newest token yet.
  const isBehind = ({ f, active }: Operation) => plan.guardLagMs > 0 && f === 'use' && active === false
  const judged = withoutRevokedParents(rest).filter(
    (operation) => !lostFamilies.has(operation.family) && !isBehind(operation),
  )
  const findings = [
    judge('replicas', judged, declared),
    judge('clock', clocksIn(operations), declared),
    judge('quiet', judged, declared),
  ]
  const faults = findings.filter(({ verdict }) => FAULTY.has(verdict)).map(faultOf)
  const own = wrong.filter(({ operations: [first] }) => !lostFamilies.has(first?.family ?? ''))
  return {
    faults: [
      ...faults,
      ...own.map((answer) => ({ ...answer, ...RETRY, timeline: answer.operations.map(lineOf) })),
    ],
    unknown: findings.filter(({ verdict }) => verdict === 'unknown').length,
  }
}

/** The answers whose clocks are farthest apart. Nothing else of them counts. */
function clocksIn(operations: readonly Operation[]): readonly Operation[] {
  const known = operations.filter(({ skew }) => skew !== undefined)
  const sorted = known.toSorted((one, other) => (one.skew ?? 0) - (other.skew ?? 0))
  const ends = sorted.length < 2 ? sorted : [sorted[0], sorted.at(-1)]
  return ends.flatMap((operation) =>
    operation === undefined ? [] : [{ ...operation, f: 'introspect', key: undefined, active: undefined }],
  )
}

const RETRY = { check: 'retry-window', verdict: 'unsafe' }

function faultOf({ id, verdict, seen, counterexample = [] }: Finding): Fault {
  return { check: id, verdict, seen, timeline: counterexample }
}

function lineOf({ invoked, returned, process, f, key, result, error }: Operation): string {
  return `${invoked.toFixed(1)} - ${returned.toFixed(1)} ms  ${process}  ${f} ${key}  ${error ?? result}`
}
