import { styleText } from 'node:util'
import { type Finding, VERDICTS, type Verdict } from '../history/finding.ts'
import { escaped } from './escaped.ts'
import type { Report } from './report.ts'

const SIGNS: Readonly<Record<Verdict, string>> = {
  unsafe: styleText('red', '✗'),
  lossy: styleText('red', '✗'),
  noisy: styleText('yellow', '!'),
  declared: styleText('yellow', '~'),
  unknown: styleText('yellow', '?'),
  passed: styleText('green', '✓'),
  skipped: styleText('dim', '–'),
}
const FAULTS: readonly Verdict[] = ['unsafe', 'lossy', 'noisy']
const LEGEND = "  In a timeline '>' marks the requests that break the rule. Bars show which ones overlap."

/** The report as lines for people, the worst last, where the eye is when the run ends. */
export function textReport(report: Report): string[] {
  const { issuer, seed, findings, rounds } = report
  const sorted = findings.toSorted((a, b) => VERDICTS.indexOf(b.verdict) - VERDICTS.indexOf(a.verdict))
  const legend = findings.some(({ counterexample }) => counterexample) ? ['', styleText('dim', LEGEND)] : []
  return [
    '',
    `${styleText('bold', escaped(issuer))} (seed ${escaped(seed)})`,
    '',
    ...sorted.flatMap(rows),
    ...legend,
    '',
    `${summary(findings)}. ${rounds.ended} of ${rounds.planned} rounds came to an end.`,
  ]
}

function rows({ verdict, id, title, seen, fix, rfc, counterexample = [], rerun }: Finding): string[] {
  const head = `  ${SIGNS[verdict]} ${id}: ${title}`
  if (verdict === 'passed') return [head]
  if (verdict === 'skipped') return [`${head} (${styleText('dim', `skipped: ${escaped(seen)}`)})`]
  const lines = counterexample.map((line) => `      ${escaped(line)}`)
  const isFault = FAULTS.includes(verdict)
  const colored = isFault ? styleText('red', `${verdict}: ${escaped(seen)}`) : `${verdict}: ${escaped(seen)}`
  const cure = isFault ? [`    Fix: ${fix} (${rfc})`] : rfc === '' ? [] : [`    See ${rfc}.`]
  const again = rerun === undefined ? [] : [`    Again: ${escaped(rerun)}`]
  return ['', head, `    ${colored}`, ...lines, ...cure, ...again]
}

function summary(findings: readonly Finding[]): string {
  const counts = VERDICTS.flatMap((verdict) => {
    const count = findings.filter((finding) => finding.verdict === verdict).length
    return count === 0 ? [] : [`${count} ${verdict}`]
  })
  return counts.join(', ')
}
