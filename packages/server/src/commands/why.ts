import { styleText } from 'node:util'
import type { PublicClient } from '@grantkit/core'
import { terminalText } from '@grantkit/core/feature'
import { formatReference, parseReference, type StepEvent } from '@grantkit/explain'
import { defineCommand } from 'citty'
import type { FoundAttempt, ReadAttempt } from '../attempts/attempt-reader.ts'
import {
  isProbe,
  KEPT_WORDS,
  PARTY_WORDS,
  PROBE_WORDS,
  sentValues,
  since,
  withoutMarks,
} from '../attempts/words.ts'
import type { LoadService } from '../definition.ts'
import type { Service } from '../service/service.ts'
import { UsageError, wholeNumber } from './command-line.ts'
import { isoTime, jsonText, plain, printList } from './terminal.ts'
import { subjectNamed, withService } from './with-service.ts'

/** Says why a sign-in failed, and lists the latest sign-ins of a client or user. */
export const why = (load: LoadService) =>
  defineCommand({
    meta: { description: 'Says why a sign-in failed, by the reference that its error shows' },
    args: {
      reference: { type: 'positional', required: false, description: 'such as 7K3M-Q2WD' },
      client: { type: 'string', valueHint: 'client_id', description: 'lists the sign-ins of a client' },
      user: { type: 'string', valueHint: 'address or id', description: 'lists the sign-ins of a user' },
      last: { type: 'string', default: '20', valueHint: 'number', description: 'how many to list' },
      failed: { type: 'boolean', description: 'lists only those that failed' },
      json: { type: 'boolean', description: 'prints a JSON line for each' },
    },
    run: async ({ args: { reference, client, user, last, failed, json = false } }) => {
      const limit = wholeNumber('--last', last)
      if (reference !== undefined && (client ?? user) !== undefined)
        throw new UsageError('Name a reference, or list by --client or --user.')
      if (reference !== undefined && parseReference(reference) === undefined)
        throw new UsageError(`${plain(reference)} is no reference; one looks like 7K3M-Q2WD.`)
      await withService(await load(), async (service) => {
        if (reference !== undefined) return explain(service, reference, json)
        const subject = user && (await subjectNamed(service.directory, user))
        const found = await service.operator.attempts.latest({ clientId: client, subject }, limit, failed)
        if (json) return printList(found.map(withShownReference), json, attemptLine)
        await printList(found, json, attemptLine, 'There are no such sign-ins.')
      })
    },
  })

/** @throws Error if nothing is known of the attempt */
async function explain({ operator, clients }: Service, reference: string, json: boolean): Promise<void> {
  const attempt = await operator.attempts.find(reference)
  if (attempt === undefined)
    throw new Error(
      `No sign-in with the reference ${plain(reference)} is kept. A reference looks like 7K3M-Q2WD.`,
    )
  const client = attempt.clientId === undefined ? undefined : await clients.find(attempt.clientId)
  console.log(
    json ? jsonText({ ...withShownReference(attempt), client }) : attemptLines(attempt, client).join('\n'),
  )
}

/** For a program, which compares it with what an error shows. */
function withShownReference<Attempt extends ReadAttempt>(attempt: Attempt): Attempt {
  const reference = formatReference(attempt.reference)
  return { ...attempt, reference, steps: attempt.steps.map((step) => ({ ...step, reference })) }
}

/** One line of a list. */
export function attemptLine({ reference, steps, verdict, clientId, subject }: ReadAttempt): string {
  const at = isoTime(steps.at(-1)?.at ?? 0)
  const who = [clientId && `client ${plain(clientId)}`, subject && `user ${plain(subject)}`].filter(Boolean)
  const probe = isProbe({ steps }) ? [PROBE_WORDS] : []
  return [formatReference(reference), at, styleText('bold', verdict.id), ...who, ...probe].join('  ')
}

/** The verdict, what is known of the client and the user, and the steps. */
export function attemptLines(attempt: FoundAttempt, client: PublicClient | undefined): string[] {
  const { reference, verdict, clientId, subject, steps, keptIn } = attempt
  const kept = KEPT_WORDS[keptIn]
  const { sentence, by, fix, compared, doctorCheck } = verdict
  const name = client?.clientName === undefined ? [] : [plain(client.clientName)]
  return [
    `${formatReference(reference)}  ${styleText('bold', withoutMarks(sentence))}`,
    '',
    row('At fault', PARTY_WORDS[by]),
    row('What to do', withoutMarks(fix)),
    ...compared.map(({ label, value }) => row(label, terminalText(value))),
    ...(by === 'none' ? [] : [row('For the developer', forDeveloper(verdict))]),
    ...(doctorCheck === undefined ? [] : [row('Check of the doctor', doctorCheck)]),
    ...(clientId === undefined ? [] : [row('Client', [plain(clientId), ...name].join('  '))]),
    ...(subject === undefined ? [] : [row('User', plain(subject))]),
    ...(kept === undefined ? [] : [row('Kept', kept)]),
    '',
    ...stepLines(steps),
  ]
}

/** What the app sent goes to its developer too. */
function forDeveloper({ toDeveloper, compared }: ReadAttempt['verdict']): string {
  const sent = sentValues(compared).map(({ label, value }) => `${label}: ${terminalText(value)}`)
  return [withoutMarks(toDeveloper), ...sent].join(' ')
}

/** Later steps repeat what is known of the request, so a fact is printed only where it changes. */
function stepLines(steps: readonly StepEvent[]): string[] {
  const printed = new Map<string, string>()
  return steps.map((step, at) => {
    const changed = factsOf(step).filter(([name, value]) => name === 'reason' || printed.get(name) !== value)
    for (const [name, value] of changed) printed.set(name, value)
    return stepLine(step, changed, steps[at - 1])
  })
}

/** What has a place of its own in the line. */
const OWN_PLACE: ReadonlySet<string> = new Set(['type', 'reference', 'at', 'step', 'outcome'])

function factsOf(step: StepEvent): (readonly [name: string, value: string])[] {
  return Object.entries(step).flatMap(([name, value]) => (OWN_PLACE.has(name) ? [] : [[name, plain(value)]]))
}

function stepLine(
  { at, step, outcome }: StepEvent,
  facts: readonly (readonly [name: string, value: string])[],
  before?: StepEvent,
): string {
  const after = since(before, { at }).padStart(9)
  const known = facts.map(([name, value]) => `${name} ${value}`)
  const name = outcome === 'ok' ? step.padEnd(24) : styleText('red', `${step} ${outcome}`.padEnd(24))
  return `${isoTime(at)}${after}  ${name}  ${styleText('dim', known.join('  '))}`.trimEnd()
}

function row(name: string, words: string): string {
  return `${name.padEnd(24)}  ${words}`
}
