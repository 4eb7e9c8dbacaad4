import { html } from '@grantkit/pages'
import { scaleLinear, scaleLog, scaleUtc } from 'd3-scale'
import { line } from 'd3-shape'
import { DAY_MINUTES, MINUTE_MS } from '../config/time-units.ts'
import type { Markup } from '../http/page.ts'
import type { ChartWindow } from '../operator/overview.ts'
import { type IntervalCount, quantile, type StatisticsReader } from '../statistics/statistics.ts'
import { momentOf, table } from './admin-page.ts'
import { reasonWords } from './words.ts'

/**
 * A chart without script: positions in percent of the width, so that it fits any screen with text of one size, and in pixels of
 * the height. Colors are classes of the style sheet.
 */

/** One color of a chart. */
export interface Series {
  readonly name: string
  /** By the intervals of the window; `undefined` where there is nothing to show. */
  readonly values: readonly (number | undefined)[]
}

export interface ChartText {
  /** Unique on the page, for its labels. */
  readonly id: string
  readonly title: string
  /** What the chart shows, for readers who do not see it. */
  readonly description: string
}

const PLOT_HEIGHT = 150

/** @param plot what is inside the SVG @param figures a table of what it shows */
function chart({ id, title, description }: ChartText, plot: Markup, figures: Markup): Markup {
  return html`
<figure class="chart" aria-labelledby="${id}-title">
  <figcaption id="${id}-title">${title}</figcaption>
  <div class="plot">
    <svg role="img" width="100%" height="${PLOT_HEIGHT + 24}" aria-labelledby="${id}-name ${id}-says">
      <title id="${id}-name">${title}</title>
      <desc id="${id}-says">${description}</desc>
      ${plot}
    </svg>
  </div>
  ${figures}
</figure>`
}

/** The names of the series with their colors, in the order in which they are stacked. */
function legend(series: readonly { readonly name: string; readonly figure: string }[]): Markup {
  return html`<ul class="legend">${series.map(
    ({ name, figure }, index) =>
      html`<li><span class="swatch series-${index + 1}"></span>${name} <b>${figure}</b></li>`,
  )}</ul>`
}

/** The same figures by interval, without the empty ones. */
function figuresOf(
  window: ChartWindow,
  series: readonly Series[],
  textOf: (value: number) => string,
): Markup {
  const rows = intervalsOf(window)
    .map((start, index) => ({ start, values: series.map(({ values }) => values[index]) }))
    .filter(({ values }) => values.some((value) => value))
  const columns = series.map(({ name }, index) => ({
    head: name,
    numeric: true,
    cell: ({ values }: (typeof rows)[number]) => {
      const value = values[index]
      return value === undefined ? '' : textOf(value)
    },
  }))
  const time = { head: 'From', cell: ({ start }: { start: number }) => momentOf(start * 60) }
  const body =
    rows.length === 0 ? html`<p>Nothing in this time.</p>` : table('Figures', [time, ...columns], rows)
  return html`<details class="figures"><summary>Figures</summary><div class="scroll" role="group" tabindex="0" aria-label="Figures">${body}</div></details>`
}

/** The beginnings of the intervals, in minutes since the epoch. */
export function intervalsOf({ since, until, step }: ChartWindow): number[] {
  return Array.from({ length: (until - since) / step }, (_, index) => since + index * step)
}

/** A number that SVG reads, without needless digits. */
function round(value: number): number {
  return Math.round(value * 100) / 100
}

/** About as many: the steps of the scale are 5, 15 and 30 minutes, 3, 6 and 12 hours, days and weeks. */
const TICKS = 6

/** The position of a time in percent of the width. @param minute since the epoch */
function positionIn({ since, until }: ChartWindow, minute: number): number {
  return round(((minute - since) / (until - since)) * 100)
}

export interface Tick {
  /** In percent. */
  readonly at: number
  readonly time: Date
  readonly text: string
}

/** Round times: minutes or hours as `18:30`, days as `23 Nov`. */
export function timeTicks(window: ChartWindow): Tick[] {
  const { since, until, minutes } = window
  const scale = scaleUtc([new Date(since * MINUTE_MS), new Date(until * MINUTE_MS)], [0, 100])
  const format = minutes > DAY_MINUTES ? AS_DAY : AS_TIME
  return scale.ticks(TICKS).map((time) => ({ at: round(scale(time)), time, text: format.format(time) }))
}

const AS_DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })
const AS_TIME = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: 'UTC' })

/** A phone shows every other one of more ticks. */
export const FIT_A_PHONE = 5

/** Days stay days in UTC, because they begin elsewhere in another zone: no attribute for the script. */
function timeAxis(window: ChartWindow): Markup {
  const isDays = window.minutes > DAY_MINUTES
  const ticks = timeTicks(window)
  return html`<g class="axis" aria-hidden="true">${ticks.map(({ at, time, text }, index) => {
    const clock = isDays ? '' : html` data-clock="${time.toISOString()}"`
    return html`
<line x1="${at}%" x2="${at}%" y1="${PLOT_HEIGHT}" y2="${PLOT_HEIGHT + 4}"/><text x="${at}%" y="${PLOT_HEIGHT + 18}" text-anchor="middle"${ticks.length > FIT_A_PHONE && index % 2 === 1 ? html` class="second"` : ''}${clock}>${text}</text>`
  })}</g>`
}

/** Lines at values, with their labels before the plot. @param positionOf in pixels from the top */
function valueAxis(
  ticks: readonly number[],
  positionOf: (value: number) => number,
  textOf: (value: number) => string,
): Markup {
  return html`<g class="axis" aria-hidden="true">${ticks.map((value) => {
    const y = round(positionOf(value))
    return html`
<line x1="0" x2="100%" y1="${y}" y2="${y}"/><text x="-6" y="${y + 4}" text-anchor="end">${textOf(value)}</text>`
  })}</g>`
}

export interface Aged {
  readonly name: string
  readonly days: number
  /** A number from 1, for its color. */
  readonly kind: number
}

const ROW = 34
const MIN_DAYS = 7

/** One bar for each thing, the oldest first. The table below it has the figures. */
export function ageBars(title: string, aged: readonly Aged[]): Markup {
  const oldestFirst = [...aged].sort((one, other) => other.days - one.days)
  const scale = scaleLinear([0, Math.max(MIN_DAYS, ...aged.map(({ days }) => days))], [0, 100]).nice(4)
  const height = oldestFirst.length * ROW
  const ticks = scale.ticks(4).map((days, index, all) => {
    const unit = index === all.length - 1 ? ' days' : ''
    const anchor = index === 0 ? 'start' : index === all.length - 1 ? 'end' : 'middle'
    return html`
<line x1="${scale(days)}%" x2="${scale(days)}%" y1="0" y2="${height}"/><text x="${scale(days)}%" y="${height + 16}" text-anchor="${anchor}">${days}${unit}</text>`
  })
  const bars = oldestFirst.map(
    ({ name, days, kind }, index) => html`
<text class="label" x="0" y="${index * ROW + 12}">${name}</text><rect class="series-${kind}" x="0" y="${index * ROW + 17}" width="${Math.max(0.5, round(scale(days)))}%" height="10"/>`,
  )
  return html`
<svg class="ages" role="img" width="100%" height="${height + 22}" aria-label="${title}"><g class="axis" aria-hidden="true">${ticks}</g>${bars}</svg>`
}

const DURATION_TICKS = [0.001, 0.01, 0.1, 1]
const MAX_SECONDS = 2.5

/** Durations in seconds on a logarithmic scale: a password check takes a hundred times as long as a refresh. */
export function durationLines(text: ChartText, window: ChartWindow, series: readonly Series[]): Markup {
  const scale = scaleLog([DURATION_TICKS[0] ?? 0, MAX_SECONDS], [PLOT_HEIGHT, 0]).clamp(true)
  const intervals = intervalsOf(window)
  const path = line<number | undefined>()
    .defined((value) => value !== undefined)
    .x((_, index) => positionIn(window, (intervals[index] ?? 0) + window.step / 2))
    .y((value) => round(scale(value ?? 0)))
  const plot = html`
${valueAxis(DURATION_TICKS, scale, durationText)}
<svg width="100%" height="${PLOT_HEIGHT}" viewBox="0 0 100 ${PLOT_HEIGHT}" preserveAspectRatio="none">${series.map(
    ({ values }, index) => html`
<path class="line series-${index + 1}" vector-effect="non-scaling-stroke" d="${path([...values]) ?? ''}"/>`,
  )}</svg>
${timeAxis(window)}`
  const named = series.map(({ name, values }) => ({ name, figure: highest(values) }))
  return chart(text, plot, html`${legend(named)}${figuresOf(window, series, durationText)}`)
}

function highest(values: Series['values']): string {
  const known = values.filter((value) => value !== undefined)
  return known.length === 0 ? '' : `up to ${durationText(Math.max(...known))}`
}

/** As `1.5 ms` or `2.5 s`. */
export function durationText(seconds: number): string {
  if (seconds >= 1) return `${Number(seconds.toPrecision(2))} s`
  return `${Number((seconds * 1000).toPrecision(2))} ms`
}

const COUNT = new Intl.NumberFormat('en-GB')
const SHORT = new Intl.NumberFormat('en-GB', { notation: 'compact' })

/** Counts by interval, one series above the other. */
export function stackedBars(text: ChartText, window: ChartWindow, series: readonly Series[]): Markup {
  const intervals = intervalsOf(window)
  const totals = intervals.map((_, index) => sum(series.map(({ values }) => values[index] ?? 0)))
  const scale = scaleLinear([0, Math.max(4, ...totals)], [PLOT_HEIGHT, 0]).nice(4)
  const width = round((window.step / window.minutes) * 100 * FILLED)
  /** The bars of one interval, with a tip. */
  const bar = (start: number, index: number) => {
    const x = positionIn(window, start)
    let below = 0
    const parts = series.map(({ values }, place) => {
      const value = values[index] ?? 0
      const [top, bottom] = [round(scale(below + value)), round(scale(below))]
      below += value
      if (value === 0) return ''
      return html`<rect class="series-${place + 1}" x="${x}%" width="${width}%" y="${top}" height="${round(bottom - top)}"/>`
    })
    const says = series.map(({ name, values }) => `${name} ${COUNT.format(values[index] ?? 0)}`).join(', ')
    const from = new Date(start * MINUTE_MS)
    return html`
<g><title data-from="${from.toISOString()}" data-says="${says}">${TIP.format(from)} UTC: ${says}</title>${parts}</g>`
  }
  const plot = html`
${valueAxis(scale.ticks(4), scale, (value) => SHORT.format(value))}
${intervals.map((start, index) => (totals[index] === 0 ? '' : bar(start, index)))}
${timeAxis(window)}`
  const named = series.map(({ name, values }) => ({ name, figure: COUNT.format(sum(values)) }))
  const figures = html`${legend(named)}${figuresOf(window, series, (value) => COUNT.format(value))}`
  return chart(text, plot, figures)
}

/** The rest of the width separates bars. */
const FILLED = 0.8

const TIP = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })

function sum(values: readonly (number | undefined)[]): number {
  return values.reduce<number>((total, value = 0) => total + value, 0)
}

// The charts of the overview. Loaded when it is first shown, because their libraries have a hundred files.

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
    series: { Succeeded: ['sign_in_succeeded'], Failed: ['sign_in_failed', 'sign_in_refused'] },
  },
  {
    id: 'approvals',
    title: 'Approvals',
    description: 'How often users approved an app, a device or one operation, and how often they denied one.',
    series: {
      Approved: ['consent_granted', 'device_approved', 'backchannel_approved', 'operation_approved'],
      Denied: ['consent_denied', 'device_denied', 'backchannel_denied'],
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

/** Files of the pages and probes would be the busiest, and say nothing about the service. */
const FILE_OR_PROBE = /\/(assets\/\S+|healthz|readyz)$/

function responseTimes(window: ChartWindow, counts: readonly IntervalCount[]): Markup {
  const responses = counts.filter(({ label }) => !FILE_OR_PROBE.test(label))
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

const SHOWN = 10

/** The busiest endpoints, with their response times. @param responses of the whole time */
function endpointTable(responses: readonly IntervalCount[]): Markup {
  if (responses.length === 0) return html``
  const endpoints = [...Map.groupBy(responses, ({ label }) => label)]
    .map(([label, counts]) => ({
      label,
      buckets: bucketCounts(counts),
      total: sum(counts.map(({ count }) => count)),
    }))
    .sort((one, other) => other.total - one.total)
    .slice(0, SHOWN)
  const within = (share: number) => (endpoint: { readonly buckets: readonly number[] }) =>
    durationText(quantile(endpoint.buckets, share) ?? 0)
  const rows = table(
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
  return html`<details><summary>Endpoints</summary>${rows}</details>`
}

/** The counts of these responses by bucket. */
function bucketCounts(counts: readonly IntervalCount[]): number[] {
  const buckets: number[] = []
  for (const { bucket, count } of counts) buckets[bucket] = (buckets[bucket] ?? 0) + count
  return Array.from(buckets, (count = 0) => count)
}
