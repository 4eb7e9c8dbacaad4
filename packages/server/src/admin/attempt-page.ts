import { formatReference, type StepEvent } from '@grantkit/explain'
import { html } from '@grantkit/pages'
import type { AttemptReader, FoundAttempt } from '../attempts/attempt-reader.ts'
import { KEPT_WORDS, PARTY_WORDS, STEP_WORDS, sentValues, since, TRIED_WORDS } from '../attempts/words.ts'
import { actingAs } from '../audit/caller.ts'
import type { CommandNames } from '../config/command-names.ts'
import type { OnEvent } from '../events.ts'
import type { Markup, Site } from '../http/page.ts'
import { addressOf, adminPage, exactMoment, facts, type Show, table } from './admin-page.ts'
import { type NameSources, type Names, namesIn } from './names.ts'
import { factWords, reasonWords } from './words.ts'

export interface AttemptPageOptions extends NameSources {
  readonly attempts: AttemptReader
  readonly baseUrl: string
  readonly commands: CommandNames
  readonly onEvent: OnEvent
}

/** A sign-in attempt: why it failed, what to do, and its steps. The trail has that an operator looked. */
export function attemptPage(options: AttemptPageOptions): Show {
  const { site, attempts, onEvent } = options
  return async (c, visit) => {
    const named = c.req.param('reference') ?? ''
    const attempt = await attempts.find(named)
    if (attempt === undefined)
      return adminPage(site, visit, {
        title: 'Unknown reference',
        section: '/why',
        main: unknown(site),
        status: 404,
      })
    const { reference, subject, clientId } = attempt
    actingAs(`account:${visit.account.id}`, () =>
      onEvent({ type: 'attempt_read', reference, subject, clientId }),
    )
    const names = await namesIn(options, [attempt])
    const main = html`
${verdictCard(options, attempt)}
${attempt.verdict.by === 'none' ? '' : forDeveloper(attempt)}
<h2 class="part">Steps</h2>
${stepTable(attempt.steps)}
<h2 class="part">Who and what</h2>
${partiesOf(site, attempt, names)}`
    return adminPage(site, visit, { title: `Sign-in ${formatReference(reference)}`, section: '/why', main })
  }
}

const unknown = ({ basePath }: Site) => html`
<p>Nothing is known here of a sign-in with this reference. It may be too old, or another process of this service has seen it and kept no row: the log of that process has the reference, with the cause.</p>
<p><a href="${basePath}/admin/why">All failed sign-ins</a></p>`

function verdictCard({ baseUrl, commands }: AttemptPageOptions, { verdict, keptIn }: FoundAttempt): Markup {
  const { by, sentence, fix, compared, doctorCheck } = verdict
  return html`
<section class="card" aria-label="Verdict">
  <p class="app-name">${verdictText(sentence)}</p>
  ${facts([
    ['At fault', PARTY_WORDS[by]],
    ['What to do', verdictText(fix)],
    ...compared.map(({ label, value }) => [label, html`<code>${value}</code>`] as const),
    ...(doctorCheck === undefined
      ? []
      : [
          [
            'From outside',
            html`<code>${commands.doctor} ${baseUrl}</code>, the check <code>${doctorCheck}</code>`,
          ] as const,
        ]),
  ])}
  ${KEPT_WORDS[keptIn] === undefined ? '' : html`<p class="hint">${KEPT_WORDS[keptIn]}</p>`}
</section>`
}

function forDeveloper({ reference, verdict, steps }: FoundAttempt): Markup {
  const when = new Date((steps.at(-1)?.at ?? 0) * 1000).toISOString()
  return html`
<h2 class="part">To send to the developer of the app</h2>
<blockquote class="card">${verdictText(verdict.toDeveloper)}${sentValues(verdict.compared).map(({ label, value }) => html`<br>${label}: <code>${value}</code>`)}<br>Reference ${formatReference(reference)}, ${when}</blockquote>`
}

/** The latest that is known of each. */
function partiesOf({ basePath }: Site, { clientId, subject, steps }: FoundAttempt, names: Names): Markup {
  const grantId = latest(steps, 'grantId')
  const trail = (query: Record<string, string | undefined>) =>
    html`<a href="${addressOf(`${basePath}/admin/trail`, query)}">audit trail</a>`
  const rows: [string, Markup | string | undefined][] = [
    [
      'Client',
      clientId && html`${names.client(clientId)} <code>${clientId}</code>, ${trail({ client: clientId })}`,
    ],
    ['Known client', latest(steps, 'knownClient')],
    ['Kind of client', latest(steps, 'clientKind')],
    ['Redirect URI', code(latest(steps, 'redirectUri'))],
    ['Resource', code(latest(steps, 'resource'))],
    ['User', subject && html`${names.user(subject)}, ${trail({ user: subject })}`],
    [
      'Grant',
      grantId &&
        subject &&
        html`<a href="${addressOf(`${basePath}/admin/user`, { id: subject })}"><code>${grantId}</code></a>`,
    ],
    ['Network', code(latest(steps, 'network'))],
  ]
  const known = rows.flatMap(([name, value]) => (value ? [[name, value] as const] : []))
  return known.length === 0
    ? html`<p>No step says.</p>`
    : html`<section class="card" aria-label="Who and what">${facts(known)}</section>`
}

function latest(
  steps: readonly StepEvent[],
  fact: 'grantId' | 'knownClient' | 'clientKind' | 'redirectUri' | 'resource' | 'network',
) {
  return steps.findLast((step) => step[fact] !== undefined)?.[fact]
}

function code(text: string | undefined): Markup | undefined {
  return text === undefined ? undefined : html`<code>${text}</code>`
}

/** The steps of a sign-in attempt, with the times between them. */
function stepTable(steps: readonly StepEvent[]): Markup {
  const rows = steps.map((step, at) => ({ step, before: steps[at - 1] }))
  return table(
    'Steps',
    [
      { head: 'When', cell: ({ step }) => exactMoment(new Date(step.at * 1000).toISOString()) },
      { head: 'After', cell: ({ step, before }) => since(before, step), numeric: true },
      { head: 'What', cell: ({ step }) => stepWords(step) },
      { head: 'Details', cell: ({ step }) => detailsOf(step) },
    ],
    rows,
  )
}

/** What has a place of its own in the table. */
const SHOWN: ReadonlySet<string> = new Set(['type', 'reference', 'at', 'step', 'outcome', 'reason'])

function detailsOf(step: StepEvent): Markup | string {
  const rows = Object.entries(step)
    .filter(([name]) => !SHOWN.has(name))
    .map(([name, value]) => [factWords(name), html`<code>${[value].flat().join(' ')}</code>`] as const)
  return rows.length === 0 ? '' : html`<details><summary>Details</summary>${facts(rows)}</details>`
}

/** Shared by the pages about sign-in attempts. */

/** A text of a verdict, with the names of parameters and settings as code. */
export function verdictText(text: string): Markup {
  return html`${text.split('`').map((part, at) => (at % 2 === 0 ? part : html`<code>${part}</code>`))}`
}

export function attemptLink({ basePath }: Site, reference: string): Markup {
  const shown = formatReference(reference)
  return html`<a href="${basePath}/admin/why/${shown}"><code class="short">${shown}</code></a>`
}

/** What happened, and why it was refused. */
function stepWords({ step, outcome, reason }: StepEvent): Markup {
  if (outcome === 'ok') return html`<span title="${step}">${STEP_WORDS[step]}</span>`
  const why = reason === undefined ? outcome : reasonWords(reason)
  return html`<span class="state bad" title="${step}">${TRIED_WORDS[step] ?? STEP_WORDS[step]}</span><div class="hint" title="${reason ?? ''}">${why}</div>`
}
