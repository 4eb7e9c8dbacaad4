import { html } from '@grantkit/pages'
import { verdictOfSignIn, withoutMarks } from '../attempts/words.ts'
import { DAY_MINUTES, DAY_SECONDS } from '../config/time-units.ts'
import type { Markup, Site } from '../http/page.ts'
import {
  type KeyState,
  type KnownClientRefusals,
  knownClientRefusals,
  type Probed,
  RANGE_NAMES,
  RANGES,
  type RangeName,
  rangeNamed,
  type ServiceState,
  type SignInRefusals,
  signInRefusals,
  windowOf,
} from '../operator/overview.ts'
import { minuteOf, OTHERS_LAG } from '../statistics/statistics.ts'
import {
  type AdminOptions,
  addressOf,
  adminPage,
  facts,
  momentOf,
  parameter,
  type Show,
  table,
} from './admin-page.ts'
import { trailTable } from './trail-page.ts'
import { reasonWords } from './words.ts'

const SHOWN = 8
/** The entries of a list that a person looks at first. */
const NOTABLE = [
  'grant_ended',
  'sign_in_failed',
  'sign_in_refused',
  'refused',
  'left_out',
  'signing_keys_rotated',
  'client_removed',
]

/** The health of the service, its figures, its keys, and recent events. */
export function overviewPage(options: AdminOptions): Show {
  const { site, operator, statistics, trail } = options
  return async (c, visit) => {
    const { overviewCharts } = await import('./charts.ts')
    const name = rangeNamed(parameter(c, 'range')) ?? '24h'
    const window = windowOf(name, minuteOf(Date.now()))
    const [{ health, keys }, charts, refusals, signIns, { items: entries }] = await Promise.all([
      operator.state(),
      overviewCharts(statistics, window),
      knownClientRefusals(statistics, window),
      signInRefusals(statistics, window),
      trail.page({ types: NOTABLE }, SHOWN),
    ])
    const main = html`
${healthFacts(health)}
${rangeLinks(site, name)}
<p class="hint">${OTHERS_LAG}${window.minutes > DAY_MINUTES ? ' The days of the charts begin at 00:00 UTC.' : ''}</p>
${charts}
${refusedKnownClients(refusals)}
${refusedSignIns(signIns)}
<h2 class="part">Signing keys by age</h2>
${await keySection(keys, Date.now() / 1000)}
<h2 class="part">Lately</h2>
${await trailTable(options, entries)}
<p><a href="${addressOf(`${site.basePath}/admin/trail`, {})}">The whole audit trail</a></p>`
    return adminPage(site, visit, { title: 'Overview', section: '', main, hasTimes: true })
  }
}

function refusedKnownClients(refusals: KnownClientRefusals): Markup {
  const counts = Object.entries(refusals)
  if (counts.length === 0) return html``
  return html`
<h2 class="part">Known clients that are off</h2>
<p class="hint">They were refused, because <code>KNOWN_CLIENTS</code> does not name them.</p>
${facts(counts.map(([id, count]) => [id, `${count} times`]))}`
}

function refusedSignIns(refusals: readonly SignInRefusals[]): Markup {
  if (refusals.length === 0) return html``
  return html`
<h2 class="part">Sign-ins with providers that were refused</h2>
${table(
  'Sign-ins with providers that were refused',
  [
    { head: 'Provider', cell: ({ provider }) => provider },
    { head: 'Why', cell: ({ reason }) => html`<span title="${reason}">${reasonWords(reason)}</span>` },
    { head: 'What to do', cell: ({ reason }) => withoutMarks(verdictOfSignIn(reason)?.fix ?? '') },
    { head: 'Times', cell: ({ count }) => String(count), numeric: true },
  ],
  refusals,
)}`
}

function healthFacts({ store, database }: ServiceState['health']): Markup {
  return html`
<section class="health" aria-label="Health">
  ${facts([
    ['Store', answerOf(store)],
    ['Database', answerOf(database)],
    ['This process', html`since ${momentOf(Date.now() / 1000 - process.uptime())}`],
  ])}
</section>`
}

function answerOf({ answers, milliseconds }: Probed): Markup {
  const [kind, text] = answers
    ? ['good', `answers in ${milliseconds.toFixed(1)} ms`]
    : ['bad', 'cannot be reached']
  return html`<span class="state ${kind}">${text}</span>`
}

function rangeLinks({ basePath }: Site, chosen: RangeName): Markup {
  const link = (name: RangeName) =>
    html`<a href="${addressOf(`${basePath}/admin`, { range: name })}"${name === chosen ? html` aria-current="true"` : ''}>${RANGES[name].text}</a>`
  return html`<nav class="ranges" aria-label="Time of the charts">${RANGE_NAMES.map(link)}</nav>`
}

const ROLES: Readonly<Record<KeyState['role'], { text: string; kind: number }>> = {
  signs: { text: 'signs now', kind: 1 },
  next: { text: 'is published, and will sign', kind: 3 },
  earlier: { text: 'is published for what it signed', kind: 2 },
}

/** The signing keys with their age. @param now in epoch seconds */
async function keySection(keys: readonly KeyState[], now: number): Promise<Markup> {
  const { ageBars } = await import('./charts.ts')
  const daysSince = (madeAt: number) => Math.max(0, (now - madeAt) / DAY_SECONDS)
  const aged = keys.flatMap(({ alg, role, madeAt }) => {
    if (madeAt === undefined) return []
    const [days, { text, kind }] = [daysSince(madeAt), ROLES[role]]
    return { name: `${alg}, ${ageText(days)}, ${text}`, days, kind }
  })
  return html`
${ageBars('Signing keys by age in days', aged)}
<details><summary>Signing keys</summary>${table(
    'Signing keys',
    [
      { head: 'Key', cell: ({ kid }) => html`<code>${kid}</code>` },
      { head: 'Algorithm', cell: ({ alg }) => alg },
      { head: 'State', cell: ({ role }) => ROLES[role].text },
      { head: 'Age', cell: ({ madeAt }) => (madeAt === undefined ? 'unknown' : ageText(daysSince(madeAt))) },
      { head: 'Made', cell: ({ madeAt }) => (madeAt === undefined ? 'unknown' : momentOf(madeAt)) },
      {
        head: 'Signs from',
        cell: ({ signsFrom }) => (signsFrom === undefined ? 'the start' : momentOf(signsFrom)),
      },
    ],
    keys,
  )}</details>`
}

function ageText(days: number): string {
  const whole = Math.floor(days)
  return whole === 0 ? 'less than a day' : `${whole} ${whole === 1 ? 'day' : 'days'}`
}
