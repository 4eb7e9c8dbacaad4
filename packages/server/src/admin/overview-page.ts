import { html } from '@grantkit/pages'
import type { TrailReader } from '../audit/trail-reader.ts'
import type { Markup, Site } from '../http/page.ts'
import { type KnownClientRefusals, knownClientRefusals } from '../operator/known-client-refusals.ts'
import type { Probed, ServiceState } from '../operator/overview.ts'
import { RANGE_NAMES, RANGES, type RangeName, rangeNamed, windowOf } from '../operator/time-range.ts'
import { minuteOf } from '../statistics/resolutions.ts'
import type { StatisticsReader } from '../statistics/statistics-reader.ts'
import { DAY_MINUTES } from '../time-units.ts'
import { addressOf, adminPage, facts, parameter } from './admin-page.ts'
import { keySection } from './key-section.ts'
import type { NameSources } from './names.ts'
import type { Show } from './operator-visits.ts'
import { momentOf } from './times.ts'
import { trailTable } from './trail-table.ts'

export interface OverviewPageOptions extends NameSources {
  readonly state: () => Promise<ServiceState>
  readonly statistics: StatisticsReader
  readonly trail: TrailReader
}

const SHOWN = 8
/** The entries of a list that a person looks at first. */
const NOTABLE = [
  'grant_ended',
  'sign_in_failed',
  'refused',
  'left_out',
  'signing_keys_rotated',
  'client_removed',
]

/** The health of the service, its figures, its keys, and recent events. */
export function overviewPage(options: OverviewPageOptions): Show {
  const { site, state, statistics, trail } = options
  return async (c, visit) => {
    const { overviewCharts } = await import('./overview-charts.ts')
    const name = rangeNamed(parameter(c, 'range')) ?? '24h'
    const window = windowOf(name, minuteOf(Date.now()))
    const [{ health, keys }, charts, refusals, { entries }] = await Promise.all([
      state(),
      overviewCharts(statistics, window),
      knownClientRefusals(statistics, window),
      trail.page({ types: NOTABLE }, SHOWN),
    ])
    const main = html`
${healthFacts(health)}
${rangeLinks(site, name)}
${window.minutes > DAY_MINUTES ? html`<p class="hint">The days of the charts begin at 00:00 UTC.</p>` : ''}
${charts}
${refusedKnownClients(refusals)}
<h2 class="part">Signing keys by age</h2>
${await keySection(keys, Date.now() / 1000)}
<h2 class="part">Lately</h2>
${await trailTable(options, entries)}
<p><a href="${addressOf(`${site.basePath}/admin/trail`, {})}">The whole audit trail</a></p>`
    return adminPage(site, visit, { title: 'Overview', section: '', main })
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
