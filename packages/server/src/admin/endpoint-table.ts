import { html } from '@grantkit/pages'
import type { Markup } from '../http/page.ts'
import { quantile } from '../statistics/durations.ts'
import type { IntervalCount } from '../statistics/statistic-rows.ts'
import { durationText } from './charts/duration-lines.ts'
import { table } from './table.ts'

const SHOWN = 10
const COUNT = new Intl.NumberFormat('en-GB')

/** The busiest endpoints, with their response times. @param responses of the whole time */
export function endpointTable(responses: readonly IntervalCount[]): Markup {
  if (responses.length === 0) return html``
  const endpoints = [...Map.groupBy(responses, ({ label }) => label)]
    .map(([label, counts]) => ({ label, buckets: bucketCounts(counts), total: totalOf(counts) }))
    .sort((one, other) => other.total - one.total)
    .slice(0, SHOWN)
  const within = (share: number) => (endpoint: { readonly buckets: readonly number[] }) =>
    durationText(quantile(endpoint.buckets, share) ?? 0)
  return table(
    'Endpoints',
    [
      { head: 'Endpoint', cell: ({ label }) => html`<code>${label}</code>` },
      { head: 'Responses', numeric: true, cell: ({ total }) => COUNT.format(total) },
      { head: 'Median', numeric: true, cell: within(0.5) },
      { head: '95 of 100 within', numeric: true, cell: within(0.95) },
      { head: '99 of 100 within', numeric: true, cell: within(0.99) },
    ],
    endpoints,
  )
}

/** The counts of these responses by bucket. */
export function bucketCounts(counts: readonly IntervalCount[]): number[] {
  const buckets: number[] = []
  for (const { bucket, count } of counts) buckets[bucket] = (buckets[bucket] ?? 0) + count
  return Array.from(buckets, (count = 0) => count)
}

function totalOf(counts: readonly IntervalCount[]): number {
  return counts.reduce((sum, { count }) => sum + count, 0)
}
