import { styleText } from 'node:util'
import type { Finding } from './diagnose.ts'

const SIGNS = {
  passed: styleText('green', '✓'),
  failed: styleText('red', '✗'),
  skipped: styleText('dim', '–'),
}
const REGISTERED =
  'A client named "Grantkit doctor" was registered. Grantkit forgets it, since nobody approves it.'

/** The findings as text for people. */
export function report(baseUrl: string, findings: readonly Finding[], register: boolean): string {
  const count = (wanted: Finding['verdict']) => findings.filter(({ verdict }) => verdict === wanted).length
  const summary = `${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped`
  const note = register ? [styleText('dim', REGISTERED)] : []
  return [`\n${styleText('bold', baseUrl)}\n`, ...findings.map(row), `\n${summary}`, ...note].join('\n')
}

function row({ verdict, title, seen, fix, note }: Finding): string {
  const details = verdict === 'failed' ? `\n      ${styleText('red', String(seen))}\n      ${fix}` : ''
  const more = note === undefined ? '' : styleText('dim', `, ${note}`)
  return `  ${SIGNS[verdict]} ${title}${more}${details}`
}
