import { parseReference } from '@grantkit/explain'
import { html } from '@grantkit/pages'
import type { Context } from 'hono'
import type { AccountDirectory } from '../accounts/account-directory.ts'
import type { AttemptReader, ReadAttempt } from '../attempts/attempt-reader.ts'
import { PARTY_WORDS } from '../attempts/words.ts'
import { seeOther } from '../http/bodies-and-answers.ts'
import type { Markup, Site } from '../http/page.ts'
import { type RangeName, rangeNamed, sinceOf } from '../operator/overview.ts'
import {
  addressOf,
  adminPage,
  choiceField,
  filterForm,
  momentOf,
  parameter,
  rangeField,
  type Show,
  table,
  textField,
} from './admin-page.ts'
import { attemptLink, verdictText } from './attempt-page.ts'
import { type NameSources, type Names, namesIn, subjectOf } from './names.ts'

export interface FailuresPageOptions extends NameSources {
  readonly directory: Pick<AccountDirectory, 'find' | 'withEmail'>
  readonly attempts: AttemptReader
}

/** How many attempts are counted, and how many are listed one by one. */
const MAX_COUNTED = 500
const SHOWN = 50

/** The failed sign-ins of a time, by verdict and client and one by one, and a search by reference. */
export function failuresPage(options: FailuresPageOptions): Show {
  const { site, attempts, directory } = options
  const path = `${site.basePath}/admin/why`
  return async (c, visit) => {
    const named = parameter(c, 'reference') ?? ''
    if (parseReference(named) !== undefined) return seeOther(c, `${path}/${encodeURIComponent(named.trim())}`)
    const filter = filterOf(c)
    const { range, user, client } = filter
    const subject = await subjectOf(directory, user)
    const query = { subject, clientId: client, since: sinceOf(range) }
    const failures = await attempts.latestFailures(query, MAX_COUNTED)
    const main = html`
<div class="filters">
${filterForm(path, [textField({ name: 'reference', label: 'Reference, such as 7K3M-Q2WD', value: parameter(c, 'reference') })])}
${filterForm(path, fieldsOf(filter, failures), 'Filter')}
</div>
${await tables(options, path, filter, failures)}`
    return adminPage(site, visit, { title: 'Failed sign-ins', section: '/why', main })
  }
}

interface Filter {
  readonly range: RangeName
  readonly verdict: string | undefined
  readonly user: string | undefined
  readonly client: string | undefined
}

function filterOf(c: Context): Filter {
  return {
    range: rangeNamed(parameter(c, 'range')) ?? '24h',
    verdict: parameter(c, 'verdict'),
    user: parameter(c, 'user'),
    client: parameter(c, 'client'),
  }
}

/** The verdicts to choose from are those of the list. */
function fieldsOf({ range, verdict, user, client }: Filter, failures: readonly ReadAttempt[]): Markup[] {
  const sentences = new Map(failures.map((failure) => [failure.verdict.id, failure.verdict.sentence]))
  const verdicts = [...sentences].map(([value, text]) => ({ value, text }))
  return [
    rangeField(range),
    choiceField({ name: 'verdict', label: 'What', value: verdict }, 'Everything', verdicts),
    textField({ name: 'user', label: 'User, by e-mail address or id', value: user }),
    textField({ name: 'client', label: 'Client, by id', value: client }),
  ]
}

async function tables(
  sources: NameSources,
  path: string,
  filter: Filter,
  failures: readonly ReadAttempt[],
): Promise<Markup> {
  const chosen = failures.filter(({ verdict }) => [undefined, verdict.id].includes(filter.verdict))
  if (chosen.length === 0) return html`<p>No sign-in of that kind has failed.</p>`
  const shown = chosen.slice(0, SHOWN)
  const names = await namesIn(sources, shown)
  return html`
${failureTable(path, { ...filter }, chosen, names)}
<p class="hint">${failures.length === MAX_COUNTED ? `The latest ${MAX_COUNTED} attempts. ` : ''}Of many refused requests without a user only a few have a row; the overview counts all of them by reason.</p>
<h2 class="part">One by one</h2>
${attemptTable(sources.site, shown, names)}`
}

/** Failed attempts with the same verdict and the same client. */
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
  const groups = Map.groupBy(failures, ({ verdict, clientId }) => JSON.stringify([verdict.id, clientId]))
  return [...groups.values()]
    .flatMap((group) => group.slice(0, 1).map((latest) => ({ latest, count: group.length })))
    .sort((one, other) => other.count - one.count)
}

function sentence({ verdict }: ReadAttempt): Markup {
  return html`<span title="${verdict.id}">${verdictText(verdict.sentence)}</span>`
}

function clientOf({ clientId }: ReadAttempt, names: Names): Markup | string {
  return clientId === undefined ? '' : names.client(clientId)
}

function lastMoment({ steps }: ReadAttempt): Markup {
  return momentOf(steps.at(-1)?.at ?? 0)
}
