import { formatReference, parseReference, type StepEvent } from '@grantkit/explain'
import { html } from '@grantkit/pages'
import type { FoundAttempt, ReadAttempt } from '../attempts/attempt-reader.ts'
import {
  isProbe,
  KEPT_WORDS,
  PARTY_WORDS,
  PROBE_WORDS,
  STEP_WORDS,
  sentValues,
  since,
  TRIED_WORDS,
  withoutMarks,
} from '../attempts/words.ts'
import { seeOther } from '../http/bodies-and-answers.ts'
import type { Markup, Site } from '../http/page.ts'
import {
  type AdminOptions,
  addressOf,
  adminPage,
  choiceField,
  exactMoment,
  type Filter,
  facts,
  filterFields,
  filterForm,
  filterOf,
  momentOf,
  parameter,
  queryOf,
  type Show,
  table,
  textField,
} from './admin-page.ts'
import { type NameSources, type Names, namesIn } from './names.ts'
import { factWords, reasonWords } from './words.ts'

/** How many attempts are counted, and how many are listed one by one. */
const MAX_COUNTED = 500
const SHOWN = 50

/** The failed sign-ins of a time, by verdict and client and one by one, and a search by reference. */
export function failuresPage(options: AdminOptions): Show {
  const { site, operator } = options
  const path = `${site.basePath}/admin/why`
  return async (c, visit) => {
    const named = parameter(c, 'reference') ?? ''
    if (parseReference(named) !== undefined) return seeOther(c, `${path}/${encodeURIComponent(named.trim())}`)
    const { range = '24h', ...who } = filterOf(c)
    const filter = { range, verdict: parameter(c, 'verdict'), ...who }
    const failures = await operator.attempts.latest(await queryOf(options, filter), MAX_COUNTED, true)
    const chosen = failures.filter(({ verdict }) => [undefined, verdict.id].includes(filter.verdict))
    const main = html`
<div class="filters">
${filterForm(path, [textField({ name: 'reference', label: 'Reference, such as 7K3M-Q2WD', value: parameter(c, 'reference') })])}
${filterForm(path, filterFields(filter, verdictField(filter, failures)), 'Filter')}
</div>
${chosen.length === 0 ? html`<p>No sign-in of that kind has failed.</p>` : await tables(options, path, filter, { chosen, counted: failures.length })}`
    return adminPage(site, visit, {
      title: 'Failed sign-ins',
      section: '/why',
      main,
      hasTimes: chosen.length > 0,
    })
  }
}

interface FailureFilter extends Filter {
  readonly verdict: string | undefined
}

/** The verdicts to choose from are those of the list. */
function verdictField({ verdict }: FailureFilter, failures: readonly ReadAttempt[]): Markup {
  const sentences = new Map(failures.map((failure) => [failure.verdict.id, failure.verdict.sentence]))
  const verdicts = [...sentences].map(([value, text]) => ({ value, text: withoutMarks(text) }))
  return choiceField({ name: 'verdict', label: 'What', value: verdict }, 'Everything', verdicts)
}

async function tables(
  sources: NameSources,
  path: string,
  filter: FailureFilter,
  { chosen, counted }: { readonly chosen: readonly ReadAttempt[]; readonly counted: number },
): Promise<Markup> {
  const shown = chosen.slice(0, SHOWN)
  const names = await namesIn(sources, shown)
  return html`
${failureTable(path, { ...filter }, chosen, names)}
<p class="hint">${counted === MAX_COUNTED ? `The latest ${MAX_COUNTED} attempts. ` : ''}Of many refused requests without a user only a few have a row; the overview counts all of them by reason.</p>
<h2 class="part">One by one</h2>
${attemptTable(sources.site, shown, names)}`
}

/** Failed attempts with the same verdict and the same client, those of the doctor apart. */
interface Failure {
  readonly latest: ReadAttempt
  readonly count: number
}

/** How often each verdict was about each client, the most frequent first. */
function failureTable(
  path: string,
  filter: Readonly<Record<string, string | undefined>>,
  failures: readonly ReadAttempt[],
  names: Names,
): Markup {
  const listed = ({ latest: { verdict, clientId }, count }: Failure) =>
    html`<a href="${addressOf(path, { ...filter, verdict: verdict.id, client: clientId })}">${String(count)}</a>`
  return table(
    'Failures',
    [
      { head: 'What', cell: ({ latest }) => sentence(latest) },
      { head: 'At fault', cell: ({ latest }) => PARTY_WORDS[latest.verdict.by] },
      { head: 'Client', cell: ({ latest }) => clientOf(latest, names) },
      { head: 'Times', cell: listed, numeric: true },
      { head: 'Latest', cell: ({ latest }) => lastMoment(latest) },
    ],
    grouped(failures),
  )
}

function attemptTable(site: Site, attempts: readonly ReadAttempt[], names: Names): Markup {
  return table(
    'Attempts',
    [
      { head: 'When', cell: lastMoment },
      { head: 'Reference', cell: ({ reference }) => attemptLink(site, reference) },
      { head: 'What', cell: sentence },
      { head: 'Client', cell: (attempt) => clientOf(attempt, names) },
      { head: 'User', cell: ({ subject }) => (subject === undefined ? '' : names.user(subject)) },
    ],
    attempts,
  )
}

function grouped(failures: readonly ReadAttempt[]): Failure[] {
  const groups = Map.groupBy(failures, (failure) =>
    JSON.stringify([failure.verdict.id, failure.clientId, isProbe(failure)]),
  )
  return [...groups.values()]
    .flatMap((group) => group.slice(0, 1).map((latest) => ({ latest, count: group.length })))
    .sort((one, other) => other.count - one.count)
}

function sentence(attempt: ReadAttempt): Markup {
  const { id, sentence } = attempt.verdict
  const probe = isProbe(attempt) ? html`<div class="hint">${PROBE_WORDS}</div>` : ''
  return html`<span title="${id}">${verdictText(sentence)}</span>${probe}`
}

function clientOf({ clientId }: ReadAttempt, names: Names): Markup | string {
  return clientId === undefined ? '' : names.client(clientId)
}

function lastMoment({ steps }: ReadAttempt): Markup {
  return momentOf(steps.at(-1)?.at ?? 0)
}

/** A sign-in attempt: why it failed, what to do, and its steps. The trail has that an operator looked. */
export function attemptPage(options: AdminOptions): Show {
  const { site, operator } = options
  return async (c, visit) => {
    const named = c.req.param('reference') ?? ''
    const attempt = await operator.attempts.find(named)
    if (attempt === undefined)
      return adminPage(site, visit, {
        title: 'Unknown reference',
        section: '/why',
        main: unknown(site),
        hasTimes: false,
        status: 404,
      })
    const names = await namesIn(options, [attempt])
    const main = html`
${verdictCard(options, attempt)}
${attempt.verdict.by === 'none' ? '' : forDeveloper(attempt)}
<h2 class="part">Steps</h2>
${stepTable(attempt.steps)}
<h2 class="part">Who and what</h2>
${partiesOf(site, attempt, names)}`
    return adminPage(site, visit, {
      title: `Sign-in ${formatReference(attempt.reference)}`,
      section: '/why',
      main,
      hasTimes: true,
    })
  }
}

const unknown = ({ basePath }: Site) => html`
<p>Nothing is known here of a sign-in with this reference. It may be too old, or another process of this service has seen it and kept no row: the log of that process has the reference, with the cause.</p>
<p><a href="${basePath}/admin/why">All failed sign-ins</a></p>`

function verdictCard({ baseUrl, program }: AdminOptions, { verdict, keptIn }: FoundAttempt): Markup {
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
            html`<code>${program} doctor ${baseUrl}</code>, the check <code>${doctorCheck}</code>`,
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
const OWN_PLACE: ReadonlySet<string> = new Set(['type', 'reference', 'at', 'step', 'outcome', 'reason'])

function detailsOf(step: StepEvent): Markup | string {
  const rows = Object.entries(step)
    .filter(([name]) => !OWN_PLACE.has(name))
    .map(([name, value]) => [factWords(name), html`<code>${[value].flat().join(' ')}</code>`] as const)
  return rows.length === 0 ? '' : html`<details><summary>Details</summary>${facts(rows)}</details>`
}

/** A text of a verdict, with the names of parameters and settings as code. */
function verdictText(text: string): Markup {
  return html`${text.split('`').map((part, at) => (at % 2 === 0 ? part : html`<code>${part}</code>`))}`
}

function attemptLink({ basePath }: Site, reference: string): Markup {
  const shown = formatReference(reference)
  return html`<a href="${basePath}/admin/why/${shown}"><code class="short">${shown}</code></a>`
}

/** What happened, and why it was refused. */
function stepWords({ step, outcome, reason }: StepEvent): Markup {
  if (outcome === 'ok') return html`<span title="${step}">${STEP_WORDS[step]}</span>`
  const why = reason === undefined ? outcome : reasonWords(reason)
  return html`<span class="state bad" title="${step}">${TRIED_WORDS[step] ?? STEP_WORDS[step]}</span><div class="hint" title="${reason ?? ''}">${why}</div>`
}
