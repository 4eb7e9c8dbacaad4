import { html } from '@grantkit/pages'
import type { ReadAttempt } from '../attempts/read-attempt.ts'
import { PARTY_WORDS } from '../attempts/words.ts'
import type { Markup, Site } from '../http/page.ts'
import { addressOf } from './admin-page.ts'
import { attemptLink, verdictText } from './attempt-words.ts'
import type { Names } from './names.ts'
import { table } from './table.ts'
import { momentOf } from './times.ts'

/** Failed attempts with the same verdict and the same client. */
interface Failure {
  readonly latest: ReadAttempt
  readonly count: number
}

/** How often each verdict was about each client, the most frequent first. */
export function failureTable(
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

export function attemptTable(site: Site, attempts: readonly ReadAttempt[], names: Names): Markup {
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
