import type { Broken, Evidence } from './broken.ts'
import type { Declared } from './declared.ts'
import type { Family } from './family.ts'
import { namesOf } from './names.ts'
import type { Operation } from './operation.ts'
import { reduce, withOrigins } from './reduce.ts'
import { subjectOf } from './subject.ts'
import { MAX_LINES, type Shown, timeline } from './timeline.ts'

/** The smallest set of operations that breaks the rule, with those that brought their credentials, as a timeline. */
export function counterexample(evidence: Evidence, broken: Broken, declared: Declared): string[] {
  const { family } = broken
  const guilty = new Set(reduce(family, declared, broken))
  const nameOf = namesOf(family)
  const own = withOrigins(family, withWitnesses(guilty, broken.violation.operations), MAX_LINES - 2)
  const shown: Shown[] = own.map((operation) => ({ operation, guilty: guilty.has(operation), nameOf }))
  return timeline([...foreignEnd(evidence, broken, declared), ...shown].sort(bySending))
}

/** What the sentence speaks of is shown too, if it is short. */
function withWitnesses(guilty: ReadonlySet<Operation>, witnesses: readonly Operation[]): Operation[] {
  const all = new Set([...guilty, ...witnesses])
  return all.size <= MAX_LINES - 4 ? [...all] : [...guilty]
}

function bySending(a: Shown, b: Shown): number {
  return a.operation.invoked - b.operation.invoked || a.operation.id - b.operation.id
}

/** The end of another grant of the user, which must not reach this one. */
function foreignEnd(
  { check, families }: Evidence,
  { family, violation }: Broken,
  declared: Declared,
): Shown[] {
  const refused = violation.operations.at(-1)
  if (check !== 'neighbours' || refused === undefined) return []
  const ends = families.flatMap((other) => (other === family ? [] : endBefore(other, refused, declared)))
  return ends.sort(bySending).slice(-1)
}

function endBefore(family: Family, refused: Operation, declared: Declared): Shown[] {
  const operation = subjectOf(family, declared).ends.sure?.operation
  if (operation === undefined || operation.invoked > refused.returned) return []
  return [{ operation, guilty: false, note: 'another grant: ', nameOf: namesOf(family) }]
}
