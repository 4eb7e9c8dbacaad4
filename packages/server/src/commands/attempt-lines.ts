import { styleText } from 'node:util'
import type { PublicClient } from '@grantkit/core'
import { formatReference, type StepEvent } from '@grantkit/core/explain'
import type { FoundAttempt } from '../attempts/attempt-reader.ts'
import type { ReadAttempt } from '../attempts/read-attempt.ts'
import { KEPT_WORDS, PARTY_WORDS, since } from '../attempts/words.ts'
import { momentOf } from './client-lines.ts'
import { plain } from './terminal.ts'

/** One line of a list. */
export function attemptLine({ reference, steps, verdict, clientId, subject }: ReadAttempt): string {
  const at = momentOf(steps.at(-1)?.at ?? 0)
  const who = [clientId && `client ${plain(clientId)}`, subject && `user ${plain(subject)}`].filter(Boolean)
  return [formatReference(reference), at, styleText('bold', verdict.id), ...who].join('  ')
}

/** The verdict, what is known of the client and the user, and the steps. */
export function attemptLines(attempt: FoundAttempt, client: PublicClient | undefined): string[] {
  const { reference, verdict, clientId, subject, steps, keptIn } = attempt
  const kept = KEPT_WORDS[keptIn]
  const { sentence, by, fix, toDeveloper, compared, doctorCheck } = verdict
  const name = client?.clientName === undefined ? [] : [plain(client.clientName)]
  return [
    `${formatReference(reference)}  ${styleText('bold', sentence)}`,
    '',
    row('At fault', PARTY_WORDS[by]),
    row('What to do', fix),
    ...compared.map(({ label, value }) => row(label, plain(value))),
    ...(by === 'none' ? [] : [row('For the developer', toDeveloper)]),
    ...(doctorCheck === undefined ? [] : [row('Check of the doctor', doctorCheck)]),
    ...(clientId === undefined ? [] : [row('Client', [plain(clientId), ...name].join('  '))]),
    ...(subject === undefined ? [] : [row('User', plain(subject))]),
    ...(kept === undefined ? [] : [row('Kept', kept)]),
    '',
    ...steps.map((step, at) => stepLine(step, steps[at - 1])),
  ]
}

function stepLine(
  { type: _, reference: __, at, step, outcome, ...facts }: StepEvent,
  before?: StepEvent,
): string {
  const after = since(before, { at }).padStart(9)
  const known = Object.entries(facts).map(([name, value]) => `${name} ${plain(value)}`)
  const name = outcome === 'ok' ? step.padEnd(24) : styleText('red', `${step} ${outcome}`.padEnd(24))
  return `${momentOf(at)}${after}  ${name}  ${styleText('dim', known.join('  '))}`.trimEnd()
}

function row(name: string, words: string): string {
  return `${name.padEnd(24)}  ${words}`
}
