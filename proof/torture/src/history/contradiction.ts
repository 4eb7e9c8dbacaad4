import type { Declared } from './declared.ts'
import { type Family, familyOf } from './family.ts'
import type { Operation } from './operation.ts'
import type { Rule } from './rules/rule.ts'
import { explain } from './search.ts'
import { subjectOf } from './subject.ts'

const RFC = 'RFC 6749 section 4.1.2, RFC 9700 section 4.14.2'
const FIX = 'Make each change of a grant one atomic step, and let each replica read what was written last.'
const SEEN = 'No order of these requests explains their answers: each alone is allowed, but not all of them.'

/** Found by the search alone: no rule names it. */
const contradiction = (verdict: 'unsafe' | 'lossy'): Rule => ({
  verdict,
  rfc: RFC,
  fix: FIX,
  find: (subject) =>
    explain(subject) === 'no' ? { operations: subject.family.operations, seen: SEEN } : undefined,
})

/** The rule that the search found broken, `unknown` if it was too long, `undefined` if it found an order. */
export function searched(family: Family, declared: Declared): Rule | 'unknown' | undefined {
  const explained = explain(subjectOf(family, declared))
  if (explained !== 'no') return explained === 'unknown' ? 'unknown' : undefined
  const withoutRefusals = familyOf(
    family.name,
    family.operations.map((operation) => (isRefusal(operation) ? relaxed(operation) : operation)),
  )
  return contradiction(explain(subjectOf(withoutRefusals, declared)) === 'no' ? 'unsafe' : 'lossy')
}

function isRefusal({ result, active }: Operation): boolean {
  return result === 'fail' || active === false
}

/** The operation without its answer: it may have happened or not, so it proves nothing. */
export function relaxed({ id, process, replica, f, family, key, invoked, returned }: Operation): Operation {
  return { id, process, replica, f, family, key, result: 'info', forgotten: true, invoked, returned }
}
