import { barChart } from './chart.ts'
import type { Measurement } from './measurement.ts'
import { steadiness } from './publishable.ts'
import type { Results } from './results.ts'
import { find, rateOf, shareOf, shareOfYardstick } from './shares.ts'
import { table } from './table.ts'
import { TARGETS, type TargetRow, yardstickOf } from './targets.ts'
import { WORK, WORK_NAMES, type WorkName, type WorkRow } from './work.ts'

/** The cell for a workload that a target does not offer. */
const NOTHING = '–'

/** The report of the whole run in Markdown. */
export function report(results: Results): string {
  const { measurements } = results
  return [
    '# Measurements',
    introduction(results),
    '## Requests per second',
    'The share of bare Fastify in the same seconds, of the median of bare Fastify in the whole run. More is better.',
    ...tables(results, (one) => whole(rateOf(measurements, one))),
    '## Share of the bare framework',
    'Requests per second, divided by those of the framework without any OAuth beside it: the median of the rounds, and how far the middle half of them spreads, in hundredths of it. Bare Fastify beside itself shows the error of the method.',
    ...tables(results, shareWithSpread, titleWithYardstick),
    '## Server CPU for one request',
    'Microseconds of all threads of the server: the median of the rounds. A busy machine disturbs it less than throughput.',
    ...tables(results, ({ cpuMicroseconds }) => cpuMicroseconds.toFixed(1)),
    '## Bytes of an answer',
    'With its head. A bare framework answers with as many as Grantkit.',
    ...tables(results, ({ answerBytes }) => whole(answerBytes)),
    '## How many times as many as the others',
    'Requests per second of Grantkit on Fastify, divided by those of the row: by the shares of bare Fastify.',
    ...tables(results, (one) => timesAsMany(measurements, one)),
    '## Latency in milliseconds',
    `Median and 99th percentile with ${results.effort.connections} requests always on their way, so it is mostly waiting.`,
    ...tables(results, ({ p50, p99 }) => `${p50.toFixed(2)} / ${p99.toFixed(1)}`),
    ...memorySection(results),
    '## Was the generator the limit?',
    'CPU of the server in cores / share of the time in which the generator had work. The server is the limit where the first is near 1 and the second is not.',
    ...tables(results, (one) => `${one.serverBusy.toFixed(2)} / ${one.generatorBusy.toFixed(2)}`),
    '## How steady was the machine?',
    'How far the middle half of the rounds of bare Fastify spreads, each as a share of the median of its pair. With 10 % a run is not published.',
    table(
      ['', 'spread'],
      steadiness(measurements).map(({ work, spread }) => [WORK[work].title, percent(spread)]),
    ),
    '## Versions',
    Object.entries({ Grantkit: results.revision, ...results.versions })
      .map(([name, version]) => `${name} ${version}`)
      .join(', '),
    '',
  ].join('\n\n')
}

/** The short report for the front page. */
export function frontPage({ measurements }: Results): string {
  const targets = measuredTargets(measurements).filter(({ detail = false }) => !detail)
  const bars = targets.flatMap(({ name, title }) => {
    const code = find(measurements, name, 'code')
    return code === undefined ? [] : [[title, rateOf(measurements, code) / 1000] as const]
  })
  const usual = worksOf(measurements, false)
  const ours = targets.filter(({ kind }) => kind === 'grantkit')
  return [
    barChart('Thousand code exchanges a second', bars),
    byWork(measurements, (one) => whole(rateOf(measurements, one)), usual, targets),
    'Of the bare framework beside it, in the same seconds:',
    byWork(measurements, (one) => percent(shareOf(one).median), usual, ours),
  ].join('\n\n')
}

function introduction({ date, machine, effort, quick, measurements }: Results): string {
  const { cpu, cores, system, node, pinned, loadBefore } = machine
  const taken = Math.max(0, ...measurements.map(({ stolen }) => stolen))
  return [
    `${date.slice(0, 10)}, ${cpu}, ${cores} cores, ${system}, Node ${node}.`,
    `${effort.rounds} rounds of ${effort.roundSeconds} s over ${effort.connections} connections, each with one of the bare framework beside it.`,
    pinned ? 'Server and generator on a core each.' : 'Server and generator NOT on cores of their own.',
    quick ? 'A quick look: the numbers are no good.' : '',
    taken > 0
      ? `The host took up to ${(taken * 100).toFixed(0)} % of a row's time (median of its rounds).`
      : '',
    loadBefore > 0.5 ? `The machine was NOT free: load ${loadBefore.toFixed(1)} before the run.` : '',
  ]
    .filter(Boolean)
    .join(' ')
}

function shareWithSpread(measured: Measurement): string {
  const { median, spread } = shareOf(measured)
  return `${percent(median)} ± ${((median * spread * 100) / 2).toFixed(0)}`
}

function titleWithYardstick(row: TargetRow): string {
  return `${row.title} / ${yardstickOf(row).title}`
}

function timesAsMany(measurements: readonly Measurement[], measured: Measurement): string {
  const fastify = find(measurements, 'fastify', measured.work)
  const ours = fastify && shareOfYardstick(measurements, fastify)
  const theirs = shareOfYardstick(measurements, measured)
  return ours === undefined || theirs === undefined ? NOTHING : `${(ours / theirs).toFixed(1)}×`
}

function memorySection({ memory }: Results): string[] {
  if (memory.length === 0) return []
  const rows = memory.map(({ target, bytesPerGrant, grants }) => [
    titleOf(target),
    whole(bytesPerGrant),
    whole(grants),
  ])
  return [
    '## Memory per live grant',
    'Growth of the heap and its buffers for one grant with a live access and refresh token.',
    table(['', 'bytes', 'of so many grants'], rows),
  ]
}

/** What everybody offers, and the features that few do. */
function tables(
  { measurements }: Results,
  cell: (measured: Measurement) => string,
  titleOfRow?: (row: TargetRow) => string,
): string[] {
  return [false, true]
    .map((feature) => worksOf(measurements, feature))
    .filter(({ length }) => length > 0)
    .map((works) => byWork(measurements, cell, works, measuredTargets(measurements), titleOfRow))
}

function worksOf(measurements: readonly Measurement[], feature: boolean): WorkName[] {
  const isFeature = (work: WorkName) => (WORK[work] as WorkRow).feature === true
  return WORK_NAMES.filter(
    (work) => isFeature(work) === feature && measurements.some((one) => one.work === work),
  )
}

function byWork(
  measurements: readonly Measurement[],
  cell: (measured: Measurement) => string,
  works: readonly WorkName[],
  targets: readonly TargetRow[],
  titleOfRow = ({ title }: TargetRow) => title,
): string {
  const rows = targets
    .map((row) => ({
      title: titleOfRow(row),
      found: works.map((work) => find(measurements, row.name, work)),
    }))
    .filter(({ found }) => found.some((one) => one !== undefined))
    .map(({ title, found }) => [title, ...found.map((one) => (one === undefined ? NOTHING : cell(one)))])
  return table(['', ...works.map((work) => WORK[work].title)], rows)
}

function measuredTargets(measurements: readonly Measurement[]): TargetRow[] {
  return TARGETS.filter(({ name }) => measurements.some(({ target }) => target === name))
}

function titleOf(target: string): string {
  return TARGETS.find(({ name }) => name === target)?.title ?? target
}

function whole(value: number): string {
  return Math.round(value).toLocaleString('en')
}

function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`
}
