import { table } from '../../peers/edge/table.ts'
import { estimate } from '../statistics.ts'
import type { ExchangeName } from './exchange.ts'
import { Histogram } from './histogram.ts'
import { CONNECTIONS, type Effort, type Latency, type Load, ROUNDS } from './measure.ts'
import { LATENCY_TARGETS, SHOWN } from './targets.ts'

const TITLES: Readonly<Record<ExchangeName, string>> = { refresh: 'Refresh', consent: 'Consent page' }
const QUANTILES = [0.5, 0.99, 0.999]

/** Below, the last thousandth is less than a request. */
const FEWEST_FOR_P999 = 1000

export interface Conditions {
  /** The machine, its load, the commit and the versions. */
  readonly machine: string
  readonly command: string
  /** Why a target has no figures, by its name. */
  readonly absent: Readonly<Record<string, string>>
}

/** All results in Markdown. */
export function report(all: readonly Latency[], effort: Effort, conditions: Conditions): string {
  const { seconds, commonRate } = effort
  const absent = LATENCY_TARGETS.filter(({ name }) => conditions.absent[name] !== undefined)
  return [
    '# Latency under load',
    conditions.machine,
    `Made by \`${conditions.command}\`. [The method](../README.md#latency).`,
    `Milliseconds from the moment at which a request should have started, to its response. ${ROUNDS} rounds, ${seconds} s together, for each load, over at most ${CONNECTIONS} connections. A quantile is of all rounds; ± is half of the range of the middle half of the rounds. *Waiting* is the most requests without a response at one moment. p99.9 is – below ${FEWEST_FOR_P999} requests.`,
    `The generator paused for at most ${milliseconds(longestPause(all))} ms: a latency in that range may be its own.`,
    ...exchangesOf(all).flatMap((exchange) => {
      const rows = all.filter((one) => one.exchange === exchange)
      return [
        `## ${TITLES[exchange]}`,
        '### At half of the capacity of each',
        tableOf(rows, ({ half }) => half),
        `### At ${commonRate} requests a second, for all`,
        tableOf(rows, ({ common }) => common),
      ]
    }),
    ...absent.map(({ name, title }) => `${title}: – ${conditions.absent[name]}`),
    '',
  ].join('\n\n')
}

function tableOf(rows: readonly Latency[], loadOf: (one: Latency) => Load): string {
  const head = ['', 'Capacity, a second', 'Sent, a second', 'p50', 'p99', 'p99.9', 'Waiting']
  return table(
    head,
    rows.map((one) => {
      const load = loadOf(one)
      const cells = QUANTILES.map((share) => cell(load, share))
      return [titleOf(one.target), whole(one.capacity), whole(load.rate), ...cells, waiting(load)]
    }),
  )
}

/** One of the README. */
export function summary(all: readonly Latency[], { commonRate }: Effort): string {
  const columns = exchangesOf(all).flatMap((exchange) => [0.5, 0.99].map((share) => ({ exchange, share })))
  const rows = SHOWN.filter((name) => all.some(({ target }) => target === name)).map((name) => {
    const cells = columns.map(({ exchange, share }) => {
      const found = all.find((one) => one.target === name && one.exchange === exchange)
      if (found === undefined) return '–'
      // Beyond its capacity a target is not slow, it has a queue.
      return found.capacity < commonRate ? `bears ${whole(found.capacity)}` : cell(found.common, share)
    })
    return [titleOf(name), ...cells]
  })
  const titles = columns.map(({ exchange, share }) => `${TITLES[exchange]}, p${share * 100}`)
  return table([`${commonRate} requests a second, ms`, ...titles], rows)
}

function longestPause(all: readonly Latency[]): number {
  return Math.max(...all.flatMap(({ half, common }) => [half.maxPause, common.maxPause]))
}

function exchangesOf(all: readonly Latency[]): ExchangeName[] {
  return (Object.keys(TITLES) as ExchangeName[]).filter((name) =>
    all.some(({ exchange }) => exchange === name),
  )
}

function titleOf(target: string): string {
  return LATENCY_TARGETS.find(({ name }) => name === target)?.title ?? target
}

function cell({ histograms }: Load, share: number): string {
  const all = Histogram.sum(histograms)
  if (all.count === 0 || (share > 0.99 && all.count < FEWEST_FOR_P999)) return '–'
  const { median, spread } = estimate(
    histograms.filter(({ count }) => count > 0).map((histogram) => histogram.quantile(share)),
  )
  return `${milliseconds(all.quantile(share))} ± ${milliseconds(median * spread)}`
}

/** A backlog is reported, also where the quantiles look good. */
function waiting({ maxOutstanding, unanswered }: Load): string {
  return unanswered === 0
    ? whole(maxOutstanding)
    : `${whole(maxOutstanding)}; **${whole(unanswered)} never answered**`
}

function milliseconds(value: number): string {
  return value < 10 ? value.toFixed(2) : value < 100 ? value.toFixed(1) : whole(value)
}

function whole(value: number): string {
  return Math.round(value).toLocaleString('en')
}
