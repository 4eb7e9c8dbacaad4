import { type Declared, windowOf } from '../declared.ts'
import type { Family } from '../family.ts'
import type { Operation } from '../operation.ts'
import type { Rule, Subject, Violation } from './rule.ts'

export const codeUsedTwice: Rule = {
  verdict: 'unsafe',
  rfc: 'RFC 6749 section 4.1.2, RFC 9700 section 2.1.1',
  fix: 'Mark the code as used and read it in one atomic step, such as a compare-and-swap or DELETE ... RETURNING.',
  find: ({ family, declared, nameOf }) => {
    for (const [key, presented] of spendsOf(family, 'code')) {
      const winners = presented.filter(({ result }) => result === 'ok')
      if (winners.length < 2 || isRepeatedPoll(winners, declared)) continue
      const who = winners.map(({ process }) => process).join(' and ')
      return { operations: winners, seen: `The ${nameOf(key)} gave tokens ${times(winners)}, to ${who}.` }
    }
    return undefined
  },
}

/** A server that answers a lost refresh by the same pair may do so for a lost answer to a poll: it mints nothing. */
function isRepeatedPoll(winners: readonly Operation[], { rotation }: Declared): boolean {
  const [first] = winners
  if (rotation !== 'same-pair' || first?.refresh === undefined) return false
  return winners.every(
    ({ f, refresh, access }) => f === 'poll' && refresh === first.refresh && access === first.access,
  )
}

/** A refresh token has one successor; with an overlap it has several, for its time. */
export const refreshForked: Rule = {
  verdict: 'unsafe',
  rfc: 'RFC 9700 section 4.14.2',
  fix: 'Rotate the refresh token in one atomic step: replace it only if it is still the stored one.',
  find: (subject) => firstOf(subject, forkOf),
}

export const spentTokenWorks: Rule = {
  verdict: 'unsafe',
  rfc: 'RFC 9700 section 4.14.2',
  fix: 'Refuse a spent refresh token after its time, in each process and after each restart.',
  find: (subject) => firstOf(subject, lateUseOf),
}

export const issuedBeforeApproval: Rule = {
  verdict: 'unsafe',
  rfc: 'RFC 6749 section 4.1.1, RFC 8628 section 3.5',
  fix: 'Issue tokens only for a code that its user approved.',
  find: ({ family, nameOf }) => {
    const approvals = family.operations.filter(({ f }) => f === 'approve')
    if (approvals.length === 0) return undefined
    const given = approvals.filter(({ result }) => result !== 'fail').map(({ invoked }) => invoked)
    const from = given.reduce((first, invoked) => Math.min(first, invoked), Number.POSITIVE_INFINITY)
    const early = family.operations.find(
      ({ f, result, returned }) => (f === 'redeem' || f === 'poll') && result === 'ok' && returned < from,
    )
    if (early === undefined) return undefined
    return {
      operations: [early],
      seen: `The ${nameOf(early.key ?? '')} gave tokens before its user approved it.`,
    }
  },
}

type Winners = readonly [first: Operation, ...rest: Operation[]]

function firstOf(
  subject: Subject,
  judge: (subject: Subject, key: string, winners: Winners) => Violation | undefined,
): Violation | undefined {
  if (subject.declared.rotation === 'none') return undefined
  for (const [key, presented] of spendsOf(subject.family, 'refresh')) {
    const winners = presented.filter(({ result }) => result === 'ok')
    winners.sort((a, b) => a.returned - b.returned)
    const [first, ...rest] = winners
    const violation = first && judge(subject, key, [first, ...rest])
    if (violation !== undefined) return violation
  }
  return undefined
}

function forkOf({ declared, nameOf }: Subject, key: string, winners: Winners): Violation | undefined {
  if (declared.rotation === 'overlap') return undefined
  const [first] = winners
  const other = winners.find((winner) =>
    declared.rotation === 'strict' ? winner !== first : winner.refresh !== first.refresh,
  )
  if (other === undefined) return undefined
  const seen = `The ${nameOf(key)} was accepted ${times(winners)} and gave ${childrenOf(winners, nameOf)}.`
  return { operations: [first, other], seen }
}

function childrenOf(winners: Winners, nameOf: (key: string) => string): string {
  const children = [...new Set(winners.map(({ refresh }) => refresh))]
  if (children.length === 1) return 'the same refresh token each time'
  return children
    .slice(0, 4)
    .map((child) => (child === undefined ? 'none' : `the ${nameOf(child)}`))
    .join(' and ')
}

function lateUseOf(subject: Subject, key: string, winners: Winners): Violation | undefined {
  if (subject.declared.rotation === 'strict') return undefined
  const [first] = winners
  for (const late of winners) {
    const reason = tooLate(subject, first, late)
    if (reason === undefined) continue
    const age = Math.round((late.invoked - first.returned) / 1_000)
    const seen = `The ${subject.nameOf(key)} worked ${age} s after it was spent, ${reason.words}.`
    return { operations: [first, ...reason.witnesses, late], seen }
  }
  return undefined
}

interface Reason {
  readonly words: string
  readonly witnesses: readonly Operation[]
}

/** After the window a pair is repeated only while it is unused. */
function tooLate({ declared, family }: Subject, first: Operation, late: Operation): Reason | undefined {
  const window = windowOf(declared)
  const age = late.invoked - first.returned
  if (age <= window.most) return undefined
  const { overlapSeconds, lateRepeatSeconds } = declared
  const most = (window.late > window.most ? lateRepeatSeconds : undefined) ?? overlapSeconds
  if (age > window.late) return { words: `longer than the ${most} s declared`, witnesses: [] }
  const uses = family.spends.get(first.refresh ?? '') ?? []
  const used = uses.find(({ result, returned }) => result === 'ok' && returned < late.invoked)
  return used && { words: 'though its successor had been used', witnesses: [used] }
}

function* spendsOf(family: Family, kind: 'code' | 'refresh'): Iterable<[string, readonly Operation[]]> {
  for (const entry of family.spends) {
    const [first] = entry[1]
    if ((first?.f === 'refresh') === (kind === 'refresh')) yield entry
  }
}

function times({ length }: { readonly length: number }): string {
  return length === 2 ? 'twice' : `${length} times`
}
