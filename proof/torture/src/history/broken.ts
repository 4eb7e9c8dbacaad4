import type { CheckId } from '../check-id.ts'
import { searched } from './contradiction.ts'
import type { Declared } from './declared.ts'
import type { Family } from './family.ts'
import { VERDICTS } from './finding.ts'
import type { Rule, Subject, Violation } from './rules/rule.ts'
import { CHECKS, rulesOf } from './rules/table.ts'
import { subjectOf } from './subject.ts'

/** A rule that a family breaks. */
export interface Broken {
  readonly rule: Rule
  readonly family: Family
  readonly violation: Violation
}

/** What is judged: the families of a check, and all its operations as one for the rules that need them together. */
export interface Evidence {
  readonly check: CheckId
  readonly families: readonly Family[]
  readonly whole: Family
}

/** The worst rule that is broken; of two, the one that comes first for this check. In linear time. */
export function brokenBy({ check, families, whole }: Evidence, declared: Declared): Broken | undefined {
  const rules = rulesOf(check)
  const found = [
    ...brokenIn(
      whole,
      rules.filter((rule) => rule.whole),
      declared,
    ),
    ...families.flatMap((family) =>
      brokenIn(
        family,
        rules.filter((rule) => !rule.whole),
        declared,
      ),
    ),
  ]
  const rank = ({ rule }: Broken) => VERDICTS.indexOf(rule.verdict) * rules.length + rules.indexOf(rule)
  return found.reduce<Broken | undefined>(
    (worst, broken) => (worst !== undefined && rank(worst) <= rank(broken) ? worst : broken),
    undefined,
  )
}

function brokenIn(family: Family, rules: readonly Rule[], declared: Declared): Broken[] {
  if (rules.length === 0) return []
  const subject = subjectOf(family, declared)
  return rules.flatMap((rule) => brokenOf(rule, subject) ?? [])
}

function brokenOf(rule: Rule, subject: Subject): Broken | undefined {
  const violation = rule.find(subject)
  return violation && { rule, family: subject.family, violation }
}

/**
 * Searches for an order that explains each family. The rules see an answer with those that it depends on, the search all
 * of them at once. Without an open operation the rules are enough where the search is too long.
 */
export function brokenTogether(
  { check, families }: Evidence,
  declared: Declared,
): Broken | 'unknown' | undefined {
  if (CHECKS[check].only) return undefined
  let unknown = false
  for (const family of families) {
    const rule = searched(family, declared)
    unknown ||= rule === 'unknown' && family.operations.some(({ result }) => result === 'info')
    const broken =
      rule === undefined || rule === 'unknown' ? undefined : brokenOf(rule, subjectOf(family, declared))
    if (broken !== undefined) return broken
  }
  return unknown ? 'unknown' : undefined
}
