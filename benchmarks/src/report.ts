import { barChart } from './chart.ts'
import type { Measurement } from './measure.ts'
import type { Results } from './results.ts'
import { median } from './statistics.ts'
import { table } from './table.ts'
import { TARGETS, type TargetRow } from './targets.ts'
import { WORK, WORK_NAMES, type WorkName } from './work.ts'

/** The cell for a workload that a peer does not offer. */
const NOTHING = '–'

/** The report of the whole run in Markdown. */
export function report(results: Results): string {
  return [
    '# Measurements',
    introduction(results),
    '## Requests per second',
    'The median of all rounds. More is better.',
    byWork(results, requestsPerSecond),
    '## How many times as many as the others',
    'Requests per second of Grantkit on Fastify, divided by those of the row: the median of the rounds.',
    ratioTable(results),
    '## Latency in milliseconds',
    `Median and 99th percentile with ${results.effort.connections} requests always on their way, so it is mostly waiting.`,
    byWork(results, ({ p50, p99 }) => `${p50.toFixed(2)} / ${p99.toFixed(1)}`),
    '## Server CPU',
    'Seconds of all threads of the server for 10,000 requests. A busy machine disturbs it less than throughput.',
    byWork(results, ({ cpuPer10k }) => cpuPer10k.toFixed(2)),
    ...memorySection(results),
    '## Was the generator the limit?',
    'CPU of the server / of the generator, in cores. The server is the limit where the first is near 1 and the second is not.',
    byWork(
      results,
      ({ serverBusy, generatorBusy }) => `${serverBusy.toFixed(2)} / ${generatorBusy.toFixed(2)}`,
    ),
    '## Versions',
    Object.entries({ Grantkit: results.revision, ...results.versions })
      .map(([name, version]) => `${name} ${version}`)
      .join(', '),
    '',
  ].join('\n\n')
}

/** The short report for the front page. */
export function frontPage(results: Results): string {
  const targets = measuredTargets(results).filter(({ detail = false }) => !detail)
  const bars = targets.flatMap(({ name, title }) => {
    const code = find(results, name, 'code')
    return code === undefined ? [] : [[title, code.requestsPerSecond / 1000] as const]
  })
  return [
    barChart('Thousand code exchanges a second', bars),
    byWork(results, requestsPerSecond, targets),
  ].join('\n\n')
}

const requestsPerSecond = (measurement: Measurement) => whole(measurement.requestsPerSecond)

function introduction({ date, machine, effort, quick, measurements }: Results): string {
  const { cpu, cores, system, node, pinned, loadBefore } = machine
  const taken = Math.max(0, ...measurements.map(({ stolen }) => stolen))
  return [
    `${date.slice(0, 10)}, ${cpu}, ${cores} cores, ${system}, Node ${node}.`,
    `${effort.rounds} interleaved rounds of ${effort.roundSeconds} s over ${effort.connections} connections.`,
    pinned ? 'Server and generator on a core each.' : 'Server and generator NOT on cores of their own.',
    quick ? 'A quick look: expect 10 % of noise.' : '',
    taken > 0
      ? `The host took up to ${(taken * 100).toFixed(0)} % of a row's time (median of its rounds).`
      : '',
    loadBefore > 0.5 ? `The machine was NOT free: load ${loadBefore.toFixed(1)} before the run.` : '',
  ]
    .filter(Boolean)
    .join(' ')
}

/** Ratios are taken round by round, because noise affects neighbours of one round alike. */
function ratioTable(results: Results): string {
  return byWork(results, ({ work, rounds }) => {
    const ours = find(results, 'fastify', work)?.rounds
    if (ours === undefined) return NOTHING
    return `${median(rounds.map((rate, round) => (ours[round] ?? Number.NaN) / rate)).toFixed(1)}×`
  })
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

function byWork(
  results: Results,
  cell: (measurement: Measurement) => string,
  targets = measuredTargets(results),
): string {
  const works = WORK_NAMES.filter((work) => results.measurements.some((one) => one.work === work))
  const rows = targets.map(({ name, title }) => [
    title,
    ...works.map((work) => {
      const found = find(results, name, work)
      return found === undefined ? NOTHING : cell(found)
    }),
  ])
  return table(['', ...works.map((work) => WORK[work].title)], rows)
}

function measuredTargets({ measurements }: Results): TargetRow[] {
  return TARGETS.filter(({ name }) => measurements.some(({ target }) => target === name))
}

function find({ measurements }: Results, target: string, work: WorkName): Measurement | undefined {
  return measurements.find((one) => one.target === target && one.work === work)
}

function titleOf(target: string): string {
  return TARGETS.find(({ name }) => name === target)?.title ?? target
}

function whole(value: number): string {
  return Math.round(value).toLocaleString('en')
}
