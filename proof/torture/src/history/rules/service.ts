import type { Operation } from '../operation.ts'
import type { Rule, Violation } from './rule.ts'

/** The loser of a race gets a refusal, not a fault. 503 says that the server is busy. */
export const serverFault: Rule = {
  verdict: 'noisy',
  rfc: 'RFC 6749 section 5.2',
  fix: 'Answer the loser of a race with invalid_grant. Catch the conflict of the store where it happens.',
  find: ({ family }) => {
    const faulty = family.operations.find(({ status = 0 }) => status >= 500 && status !== 503)
    return faulty && { operations: [faulty], seen: `A request got ${faulty.status}.` }
  },
}

export const noAnswer: Rule = {
  verdict: 'noisy',
  rfc: 'RFC 6749 section 5',
  fix: 'Give each step of the store a time limit, and answer 503 when it is over.',
  find: ({ family }) => {
    const silent = family.operations.find(
      ({ result, status, forgotten }) => result === 'info' && status === undefined && !forgotten,
    )
    if (silent === undefined) return undefined
    const seconds = ((silent.returned - silent.invoked) / 1_000).toFixed(1)
    return { operations: [silent], seen: `A request had no answer after ${seconds} s.` }
  },
}

/** The `Date` header counts in whole seconds. */
const DATE_RESOLUTION = 1_000

/** Clocks belong to no family. */
export const clocksApart: Rule = {
  whole: true,
  verdict: 'lossy',
  rfc: 'RFC 9110 section 6.6.1',
  fix: 'Keep the clocks of all replicas in step (NTP), or take the time from the store.',
  find: (subject) => {
    const { declared, family } = subject
    const known = family.operations.filter(({ skew }) => skew !== undefined)
    const [lowest, highest] = [extreme(known, -1), extreme(known, 1)]
    if (lowest === undefined || highest === undefined) return undefined
    const allowed = declared.clockSkewSeconds * 1_000 + DATE_RESOLUTION
    return betweenReplicas(lowest, highest, allowed) ?? fromHere(lowest, highest, allowed)
  },
}

function betweenReplicas(lowest: Operation, highest: Operation, allowed: number): Violation | undefined {
  const gap = (highest.skew ?? 0) - (lowest.skew ?? 0)
  if (gap <= allowed || lowest.replica === highest.replica) return undefined
  return { operations: [lowest, highest], seen: `The clocks of two replicas are ${seconds(gap)} s apart.` }
}

function fromHere(lowest: Operation, highest: Operation, allowed: number): Violation | undefined {
  const far = Math.abs(lowest.skew ?? 0) > Math.abs(highest.skew ?? 0) ? lowest : highest
  const gap = Math.abs(far.skew ?? 0)
  if (gap <= allowed) return undefined
  return {
    operations: [far],
    seen: `The clock of the server is ${seconds(gap)} s from the clock of this machine.`,
  }
}

function extreme(operations: readonly Operation[], sign: 1 | -1): Operation | undefined {
  return operations.reduce<Operation | undefined>(
    (best, operation) =>
      best === undefined || sign * (operation.skew ?? 0) > sign * (best.skew ?? 0) ? operation : best,
    undefined,
  )
}

function seconds(milliseconds: number): number {
  return Math.round(milliseconds / 1_000)
}
