import { html } from '@grantkit/pages'
import type { Markup } from '../http/page.ts'
import type { ChartWindow } from '../operator/time-range.ts'
import { quantile } from '../statistics/durations.ts'
import type { IntervalCount } from '../statistics/statistic-rows.ts'
import type { StatisticsReader } from '../statistics/statistics-reader.ts'
import { intervalsOf, type Series } from './charts/chart.ts'
import { durationLines } from './charts/duration-lines.ts'
import { stackedBars } from './charts/stacked-bars.ts'
import { bucketCounts, endpointTable } from './endpoint-table.ts'
import { reasonWords } from './words.ts'

/** The charts of the overview. Loaded when it is first shown, because their libraries have a hundred files. */

interface EventChart {
  readonly id: string
  readonly title: string
  readonly description: string
  /** The types of events by the name of their series. */
  readonly series: Readonly<Record<string, readonly string[]>>
}

const EVENT_CHARTS: readonly EventChart[] = [
  {
    id: 'sign-ins',
    title: 'Sign-ins',
    description: 'The number of sign-ins that succeeded and that failed.',
    series: { Succeeded: ['sign_in_succeeded'], Failed: ['sign_in_failed'] },
  },
  {
    id: 'approvals',
    title: 'Approvals',
    description: 'How often users approved an app or a device, and how often they denied one.',
    series: {
      Approved: ['consent_granted', 'device_approved'],
      Denied: ['consent_denied', 'device_denied'],
    },
  },
  {
    id: 'refreshes',
    title: 'Refreshes',
    description: 'How often apps refreshed their tokens, and how often they repeated a refresh.',
    series: {
      'New tokens': ['refresh_token_rotated', 'refresh_token_kept'],
      Repeated: ['refresh_token_retried'],
    },
  },
]

const SHOWN_REASONS = 5
const SHOWN_ENDPOINTS = 5

export async function overviewCharts(statistics: StatisticsReader, window: ChartWindow): Promise<Markup> {
  const { resolution, step, since } = window
  const read = (name: 'event' | 'reason' | 'response') => statistics.read({ name, resolution, step, since })
  const [events, reasons, responses] = await Promise.all([read('event'), read('reason'), read('response')])
  return html`
<div class="charts">
${EVENT_CHARTS.map((chart) => stackedBars(chart, window, eventSeries(window, events, chart)))}
${stackedBars(ERRORS_BY_REASON, window, reasonSeries(window, reasons))}
</div>
${responseTimes(window, responses)}`
}

function eventSeries(
  window: ChartWindow,
  counts: readonly IntervalCount[],
  { series }: EventChart,
): Series[] {
  return Object.entries(series).map(([name, types]) => ({
    name,
    values: totalsOf(
      window,
      counts.filter(({ label }) => types.includes(label)),
    ),
  }))
}

const ERRORS_BY_REASON = {
  id: 'refusals',
  title: 'Refused requests by reason',
  description: 'The number of requests that were refused, by the most frequent reasons.',
}

/** The most frequent reasons; all others are the last series. */
function reasonSeries(window: ChartWindow, counts: readonly IntervalCount[]): Series[] {
  const reasons = mostFrequent(counts)
  const shown = reasons.slice(0, SHOWN_REASONS)
  const valuesOf = (labels: readonly string[]) =>
    totalsOf(
      window,
      counts.filter(({ label }) => labels.includes(label)),
    )
  const others = reasons.slice(SHOWN_REASONS)
  return [
    ...shown.map((reason) => ({ name: reasonWords(reason), values: valuesOf([reason]) })),
    ...(others.length === 0 ? [] : [{ name: 'Other reasons', values: valuesOf(others) }]),
  ]
}

function responseTimes(window: ChartWindow, responses: readonly IntervalCount[]): Markup {
  const busiest = mostFrequent(responses).slice(0, SHOWN_ENDPOINTS)
  const series = busiest.map((name) => ({
    name,
    values: percentilesOf(
      window,
      responses.filter(({ label }) => label === name),
    ),
  }))
  const text = {
    id: 'durations',
    title: 'Response times of the busiest endpoints (99th percentile)',
    description: 'The time within which 99 of 100 requests were answered, on a logarithmic scale.',
  }
  return html`${durationLines(text, window, series)}${endpointTable(responses)}`
}

/** The labels, the most frequent first. */
function mostFrequent(counts: readonly IntervalCount[]): string[] {
  const totals = new Map<string, number>()
  for (const { label, count } of counts) totals.set(label, (totals.get(label) ?? 0) + count)
  return [...totals].sort(([, one], [, other]) => other - one).map(([label]) => label)
}

function totalsOf(window: ChartWindow, counts: readonly IntervalCount[]): number[] {
  const totals = new Map<number, number>()
  for (const { start, count } of counts) totals.set(start, (totals.get(start) ?? 0) + count)
  return intervalsOf(window).map((start) => totals.get(start) ?? 0)
}

function percentilesOf(window: ChartWindow, counts: readonly IntervalCount[]): (number | undefined)[] {
  const buckets = Map.groupBy(counts, ({ start }) => start)
  return intervalsOf(window).map((start) => quantile(bucketCounts(buckets.get(start) ?? []), 0.99))
}
