import type { Declared } from './declared.ts'
import { caseOf } from './effect.ts'
import { endsOf } from './ends.ts'
import type { Family } from './family.ts'
import { namesOf } from './names.ts'
import type { Operation } from './operation.ts'
import type { Subject } from './rules/rule.ts'

/** Prepares a family for its rules, in linear time. */
export function subjectOf(family: Family, declared: Declared): Subject {
  const base = caseOf(family, declared)
  let names: ((key: string) => string) | undefined
  return {
    ...base,
    ends: endsOf(base),
    revocations: revocationsOf(family),
    refreshes: family.operations.filter(({ f, result }) => f === 'refresh' && result !== 'fail'),
    // Most families have no finding, and need no names.
    nameOf: (key) => {
      names ??= namesOf(family)
      return names(key)
    },
  }
}

function revocationsOf({ operations }: Family): ReadonlyMap<string, Operation> {
  const revocations = new Map<string, Operation>()
  for (const operation of operations) {
    const { f, key, result, returned } = operation
    if (f !== 'revoke' || key === undefined || result !== 'ok') continue
    const known = revocations.get(key)
    if (known === undefined || returned < known.returned) revocations.set(key, operation)
  }
  return revocations
}
