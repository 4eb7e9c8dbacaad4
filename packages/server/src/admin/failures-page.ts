import { parseReference } from '@grantkit/explain'
import { html } from '@grantkit/pages'
import type { Context } from 'hono'
import type { AccountDirectory } from '../accounts/account-directory.ts'
import type { AttemptReader } from '../attempts/attempt-reader.ts'
import type { ReadAttempt } from '../attempts/read-attempt.ts'
import { seeOther } from '../http/bodies-and-answers.ts'
import type { Markup } from '../http/page.ts'
import { type RangeName, rangeNamed, sinceOf } from '../operator/time-range.ts'
import { adminPage, parameter } from './admin-page.ts'
import { attemptTable, failureTable } from './failure-tables.ts'
import { choiceField, filterForm, rangeField, textField } from './filter-form.ts'
import { type NameSources, namesIn, subjectOf } from './names.ts'
import type { Show } from './operator-visits.ts'

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
