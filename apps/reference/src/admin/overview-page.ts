import { html } from '@grantkit/pages'
import type { TrailReader } from '../audit/trail-reader.ts'
import { type Markup, pointInTime, type Site } from '../pages/page.ts'
import { addressOf, adminPage, facts } from './admin-page.ts'
import type { Show } from './operator-visits.ts'
import { COUNTED, type KeyState, MAX_COUNTED, type Overview, type Probed } from './overview.ts'
import { trailEntries } from './trail-entries.ts'

const SHOWN = 5
const DAY = 24 * 60 * 60

/** The health of the service, its keys, and recent events. */
export function overviewPage(site: Site, overview: () => Promise<Overview>, trail: TrailReader): Show {
  const latest = async (type: string) => (await trail.page({ types: [type] }, SHOWN)).entries
  return async () => {
    const { health, keys, lastDay } = await overview()
    const main = html`
<section class="card" aria-label="Health">
  <h2>Health</h2>
  ${facts([
    ['Store', answerOf(health.store)],
    ['Database', answerOf(health.database)],
    ['This process', html`since ${pointInTime(Date.now() / 1000 - process.uptime())}`],
  ])}
</section>
<section class="card" aria-label="The last 24 hours">
  <h2>The last 24 hours</h2>
  ${facts(COUNTED.map((type) => [type, countOf(site, type, lastDay[type])]))}
</section>
<h2 class="part">Signing keys</h2>
${keys.map(keyCard)}
<h2 class="part">Recent sign-ins</h2>
${trailEntries(site, await latest('sign_in_succeeded'))}
<h2 class="part">Recent refusals</h2>
${trailEntries(site, await latest('refused'))}`
    return adminPage(site, { title: 'Overview', main })
  }
}

function answerOf({ answers, milliseconds }: Probed): string {
  return answers ? `answers in ${milliseconds.toFixed(1)} ms` : 'out of reach'
}

function countOf({ basePath }: Site, type: string, count: number): Markup {
  const entries = count === MAX_COUNTED ? `${count} entries or more` : `${count} entries`
  return html`<a href="${addressOf(`${basePath}/admin/trail`, { type })}">${count === 1 ? '1 entry' : entries}</a>`
}

const ROLES: Readonly<Record<KeyState['role'], string>> = {
  signs: 'signs now',
  next: 'is published, and will sign',
  earlier: 'is published for what it signed',
}

function keyCard({ kid, alg, role, signsFrom, madeAt }: KeyState): Markup {
  const days = madeAt === undefined ? undefined : Math.floor((Date.now() / 1000 - madeAt) / DAY)
  const age = days === undefined ? 'the trail does not say' : `${days} ${days === 1 ? 'day' : 'days'}`
  return html`
<section class="card" aria-label="Key ${kid}">
  <h3 class="app-name">${alg} ${ROLES[role]}</h3>
  ${facts([
    ['Key id', html`<code>${kid}</code>`],
    ['Age', age],
    ...(signsFrom === undefined ? [] : [['Signs from', pointInTime(signsFrom)] as const]),
  ])}
</section>`
}
