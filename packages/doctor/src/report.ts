import { styleText } from 'node:util'
import { terminalText } from '@grantkit/core/feature'
import type { Finding } from './diagnose.ts'

const SIGNS = {
  passed: styleText('green', '✓'),
  failed: styleText('red', '✗'),
  skipped: styleText('dim', '–'),
}
const MAX_SEEN = 500

/** The findings as lines for people. What the deployment says is escaped: it forges no line. */
export function report(subject: string, findings: readonly Finding[]): string[] {
  const count = (wanted: Finding['verdict']) => findings.filter(({ verdict }) => verdict === wanted).length
  const summary = `${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped`
  return [`\n${styleText('bold', terminalText(subject))}\n`, ...findings.map(row), `\n${summary}`]
}

function row({ verdict, title, seen = '', fix, causes, reason, note = reason }: Finding): string {
  const shown = terminalText(seen.length > MAX_SEEN ? `${seen.slice(0, MAX_SEEN)}…` : seen)
  const stops = causes === undefined ? '' : styleText('dim', `\n      Stops sign-ins: ${causes}`)
  const details = verdict === 'failed' ? `\n      ${styleText('red', shown)}\n      ${fix}${stops}` : ''
  const more = note === undefined ? '' : styleText('dim', `, ${terminalText(note)}`)
  return `  ${SIGNS[verdict]} ${title}${more}${details}`
}
