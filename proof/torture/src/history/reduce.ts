import { relaxed } from './contradiction.ts'
import type { Declared } from './declared.ts'
import { type Family, familyOf } from './family.ts'
import type { Operation } from './operation.ts'
import type { Rule, Violation } from './rules/rule.ts'
import { subjectOf } from './subject.ts'

/** A family longer than this is cut to what shares a credential with the violation, so that the search for less is short. */
const MAX_REDUCED = 200

/**
 * The smallest set of operations that still breaks the rule, and the operations that brought their credentials. The
 * others are not removed but lose their answers, so that they may still explain what is left: nothing is made up.
 */
export function reduce(
  family: Family,
  declared: Declared,
  broken: { readonly rule: Rule; readonly violation: Violation },
) {
  const { rule, violation } = broken
  const breaks = (kept: ReadonlySet<Operation>) => {
    const operations = family.operations.map((operation) =>
      kept.has(operation) ? operation : relaxed(operation),
    )
    return rule.find(subjectOf(familyOf(family.name, operations), declared)) !== undefined
  }
  const start = startOf(family, violation, breaks)
  return start === undefined ? violation.operations : smallest(start, breaks)
}

type Breaks = (kept: ReadonlySet<Operation>) => boolean

/** Where to start: the operations of the violation if they show it alone, else those around it. */
function startOf(family: Family, violation: Violation, breaks: Breaks): readonly Operation[] | undefined {
  const withIssues = withOrigins(family, violation.operations, MAX_REDUCED)
  const keys = new Set(withIssues.flatMap((operation) => credentialsOf(operation)))
  const near = family.operations.filter((operation) => credentialsOf(operation).some((key) => keys.has(key)))
  const starts = [violation.operations, withIssues, near, family.operations]
  return starts.find((start) => start.length <= MAX_REDUCED && breaks(new Set(start)))
}

/** Delta debugging (Zeller): halves, then smaller parts, until no single operation can be left out. */
function smallest(start: readonly Operation[], breaks: Breaks): readonly Operation[] {
  let kept = start
  for (let size = Math.ceil(kept.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < kept.length; ) {
      const fewer = kept.toSpliced(from, size)
      if (fewer.length > 0 && breaks(new Set(fewer))) kept = fewer
      else from += size
    }
  }
  return kept
}

/** The operations and, as long as there is room, those that brought what they present. */
export function withOrigins(
  family: Family,
  operations: readonly Operation[],
  room: number,
): readonly Operation[] {
  const all = new Set(operations)
  for (const operation of all) {
    const origin = family.issues.get(operation.key ?? '')?.operation
    if (origin !== undefined && all.size < room) all.add(origin)
  }
  return [...all].sort((a, b) => a.invoked - b.invoked || a.id - b.id)
}

function credentialsOf({ key, code, access, refresh }: Operation): string[] {
  return [key, code, access, refresh].filter((credential) => credential !== undefined)
}
