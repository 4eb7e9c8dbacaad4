import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describeMachine, describeVersions } from './machine.ts'
import { CONNECTIONS, type Effort, type Measurement } from './measure.ts'
import { type Estimate, estimate, isSteady, rateOf, ratesOf, ratioOf, unsteadiness } from './statistics.ts'
import { PEER_TABLE, PEER_TABLE_WORKLOADS, ROOT, rowOf, TARGETS } from './targets.ts'
import { WORKLOAD_NAMES, WORKLOADS, type WorkloadName } from './workloads.ts'

const MACHINE = describeMachine()

/** All results in Markdown. */
export function report(all: readonly Measurement[], { rounds, roundSeconds }: Effort): string {
  const own = TARGETS.filter((name) => !name.startsWith('bare-'))
  return [
    '# Measurements',
    `${new Date().toISOString().slice(0, 10)}: ${MACHINE}`,
    `${rounds} rounds of ${roundSeconds} s over ${CONNECTIONS} connections, in turn with as many of the bare framework. Each figure is a median; ± is half of the range of the middle half of its rounds.`,
    '## Requests per second',
    'The share of bare Fastify in the same seconds, of the median of bare Fastify in the whole run.',
    byWorkload(all, (one) => rate(rateOf(all, one))),
    '## Share of the bare framework',
    byWorkload(
      all,
      (one) => percent(ratioOf(one, 'rate')),
      own,
      (name) => `${rowOf(name).title} / ${rowOf(rowOf(name).baseline).title}`,
    ),
    '## Server CPU for one request',
    'Microseconds of all threads of the server.',
    byWorkload(all, (one) => micros(cpuOf(one, 0))),
    '## How steady was the machine?',
    'How far the rounds of bare Fastify spread, each as a share of the median of its pair. A workload with more than 5 % is marked as unsteady.',
    workloadsOf(all)
      .map((name) => steadiness(name, unsteadiness(of(all, name))))
      .join(', '),
    `Versions: ${describeVersions()}`,
    '',
  ].join('\n\n')
}

/** The comparison of two checkouts, in Markdown. */
export function comparison(all: readonly Measurement[]): string {
  const rows = all.map((one) => [
    `${rowOf(one.target).title}: ${WORKLOADS[one.workload].title}`,
    rate(estimate(ratesOf(one, 1))),
    rate(estimate(ratesOf(one, 0))),
    percent(ratioOf(one, 'rate'), 1),
    micros(cpuOf(one, 1)),
    micros(cpuOf(one, 0)),
    percent(ratioOf(one, 'cpu'), 1),
  ])
  const head = ['', 'before, a second', 'after', 'ratio', 'before, CPU µs', 'after', 'ratio']
  return `${MACHINE}\n\n${table(head, rows)}`
}

/** Writes the results and the table of the comparison. */
export async function publish(all: readonly Measurement[], text: string): Promise<void> {
  await writeFile(join(ROOT, 'proof/benchmarks/results/latest.md'), text)
  const comparison = join(ROOT, 'docs/comparison.md')
  const usual = all.filter(({ workload }) => PEER_TABLE_WORKLOADS.includes(workload))
  const shown = byWorkload(usual, (one) => rate(rateOf(all, one)), PEER_TABLE)
  const marked = /(<!-- bench:start -->\n)[\s\S]*(<!-- bench:end -->)/
  const page = (await readFile(comparison, 'utf8')).replace(
    marked,
    (_, start, end) => `${start}\n${shown}\n\n${end}`,
  )
  await writeFile(comparison, page)
}

function byWorkload(
  all: readonly Measurement[],
  cell: (measured: Measurement) => string,
  targets: readonly string[] = TARGETS,
  titleOf = (name: string) => rowOf(name).title,
): string {
  const workloads = workloadsOf(all.filter(({ target }) => targets.includes(target)))
  const rows = targets
    .filter((name) => all.some(({ target }) => target === name))
    .map((name) => {
      const found = workloads.map((workload) => of(all, workload).find(({ target }) => target === name))
      return [titleOf(name), ...found.map((one) => (one === undefined ? '–' : cell(one)))]
    })
  return table(['', ...workloads.map((workload) => heading(workload, of(all, workload)))], rows)
}

function steadiness(name: WorkloadName, spread: number | undefined): string {
  const { title } = WORKLOADS[name]
  return spread === undefined ? `${title} without bare Fastify` : `${title} ± ${(spread * 100).toFixed(1)} %`
}

function heading(workload: WorkloadName, measured: readonly Measurement[]): string {
  return isSteady(measured) ? WORKLOADS[workload].title : `${WORKLOADS[workload].title} (unsteady)`
}

function of(all: readonly Measurement[], name: WorkloadName): Measurement[] {
  return all.filter(({ workload }) => workload === name)
}

function workloadsOf(all: readonly Measurement[]): WorkloadName[] {
  return WORKLOAD_NAMES.filter((name) => of(all, name).length > 0)
}

function rate({ median, spread }: Estimate): string {
  return `${whole(median)} ± ${whole(spread * 100)} %`
}

function percent({ median, spread }: Estimate, digits = 0): string {
  return `${(median * 100).toFixed(digits)} ± ${(median * spread * 100).toFixed(digits)} %`
}

function cpuOf({ rounds }: Measurement, half: 0 | 1): Estimate {
  return estimate(rounds.map((pair) => pair[half].cpu))
}

function micros({ median, spread }: Estimate): string {
  return `${median.toFixed(1)} ± ${(median * spread).toFixed(1)}`
}

function whole(value: number): string {
  return Math.round(value).toLocaleString('en')
}

/** A Markdown table with aligned columns; all but the first are numbers. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((_, column) =>
    Math.max(3, ...[head, ...rows].map((row) => row[column]?.length ?? 0)),
  )
  const line = (cells: readonly string[]) =>
    `| ${widths.map((width, column) => (column === 0 ? (cells[0] ?? '').padEnd(width) : (cells[column] ?? '').padStart(width))).join(' | ')} |`
  const rule = widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`))
  return [line(head), line(rule), ...rows.map(line)].join('\n')
}
