import type { CheckId } from '../check-id.ts'
import { type Broken, brokenBy, brokenTogether, type Evidence } from './broken.ts'
import { counterexample } from './counterexample.ts'
import { type Declared, IDEAL } from './declared.ts'
import { familiesOf, familyOf } from './family.ts'
import type { Finding, Verdict } from './finding.ts'
import type { Operation } from './operation.ts'
import { CHECKS } from './rules/table.ts'
import { MAX_OPEN } from './search.ts'

export type { Declared } from './declared.ts'
export type { Finding, Verdict } from './finding.ts'

/** Judges the history of one check: the worst that it shows, and the smallest history that shows it. */
export function judge(check: CheckId, history: readonly Operation[], declared: Declared): Finding {
  if (history.length === 0) return quiet(check, 'skipped', 'Nothing was sent.')
  const evidence: Evidence = { check, families: familiesOf(history), whole: familyOf('', history) }
  const broken = brokenBy(evidence, declared)
  if (broken !== undefined && broken.rule.verdict !== 'declared') return failed(evidence, broken, declared)
  const together = brokenTogether(evidence, declared)
  if (together === 'unknown') return quiet(check, 'unknown', OPEN)
  if (together !== undefined) return failed(evidence, together, declared)
  if (broken !== undefined) return failed(evidence, broken, declared)
  return allowed(evidence, declared) ?? quiet(check, 'passed', `${history.length} requests, each explained.`)
}

const OPEN = `A grant had more than ${MAX_OPEN} requests without an answer, or too many at once: nothing can be said.`

/** What only the declaration allows: a server that did the best would not answer so. */
function allowed(evidence: Evidence, declared: Declared): Finding | undefined {
  const ideal = { ...IDEAL, clockSkewSeconds: declared.clockSkewSeconds, cacheSeconds: declared.cacheSeconds }
  const broken = brokenBy(evidence, ideal)
  if (broken?.rule.verdict !== 'unsafe') return undefined
  const found = failed(evidence, broken, ideal)
  return { ...found, verdict: 'declared', seen: `${found.seen} The declaration allows it.` }
}

function failed(evidence: Evidence, broken: Broken, declared: Declared): Finding {
  const { verdict } = broken.rule
  const { seen, fix = broken.rule.fix, rfc = broken.rule.rfc } = broken.violation
  const { check } = evidence
  const lines = counterexample(evidence, broken, declared)
  return {
    id: check,
    title: CHECKS[check].title,
    verdict,
    seen,
    fix,
    rfc,
    counterexample: lines,
  }
}

function quiet(check: CheckId, verdict: Verdict, seen: string): Finding {
  return { id: check, title: CHECKS[check].title, verdict, seen, fix: '', rfc: '' }
}
