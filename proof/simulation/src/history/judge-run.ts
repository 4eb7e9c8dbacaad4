import { type Finding, judge, type Operation } from '@grantkit/torture'
import type { Plan } from '../plan/plan.ts'
import type { Run } from '../run/simulate.ts'
import { declaredBy } from './declared.ts'

/** What a run should not have shown. */
export interface Fault {
  /** A check of the judge. */
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

/** Judges a run by the rules of `@grantkit/torture`, family by family. */
export function judgeRun(plan: Plan, { operations, lostFamilies }: Run): Judgement {
  const declared = declaredBy(plan)
  // A guard that is behind does not know the newest token yet.
  const isBehind = ({ f, active }: Operation) => plan.guardLagMs > 0 && f === 'use' && active === false
  const judged = operations.filter((operation) => !lostFamilies.has(operation.family) && !isBehind(operation))
  const findings = [
    judge('replicas', judged, declared),
    judge('clock', clocksIn(operations), declared),
    judge('quiet', judged.filter(isFaulty), declared),
  ]
  const faults = findings.filter(({ verdict }) => FAULTY.has(verdict)).map(faultOf)
  return {
    faults,
    unknown: findings.filter(({ verdict }) => verdict === 'unknown').length,
  }
}

/** The answers whose clocks are farthest apart. Nothing else of them counts. */
function clocksIn(operations: readonly Operation[]): readonly Operation[] {
  let [lowest, highest]: (Operation | undefined)[] = []
  for (const operation of operations) {
    const { skew } = operation
    if (skew === undefined) continue
    if (skew < (lowest?.skew ?? Number.POSITIVE_INFINITY)) lowest = operation
    if (skew > (highest?.skew ?? Number.NEGATIVE_INFINITY)) highest = operation
  }
  return [lowest, highest].flatMap((operation) =>
    operation === undefined ? [] : [{ ...operation, f: 'introspect', key: undefined, active: undefined }],
  )
}

/** Whether the check `quiet` may say something of it. */
function isFaulty({ result, status, forgotten }: Operation): boolean {
  return status === undefined ? result === 'info' && !forgotten : status >= 500 && status !== 503
}

function faultOf({ id, verdict, seen, counterexample = [] }: Finding): Fault {
  return { check: id, verdict, seen, timeline: counterexample }
}
