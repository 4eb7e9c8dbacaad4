import { quantile } from '../../src/statistics.ts'
import { CLIENTS, type Speed } from './measure-speed.ts'
import { BARE, SIDES } from './sides.ts'
import { table } from './table.ts'

const ROWS: Readonly<Record<string, (speed: Speed) => string>> = {
  'Refresh, one at a time: p50; p99': ({ one }) => latencies(one.latencies),
  [`Refresh, ${CLIENTS} at once: requests a second`]: ({ many }) =>
    ((many.latencies.length / many.elapsed) * 1000).toFixed(0),
  [`Refresh, ${CLIENTS} at once: p50; p99`]: ({ many }) => latencies(many.latencies),
  'Bundle, minified; gzip': ({ size }) => `${kilobytes(size.minified)}; ${kilobytes(size.gzip)}`,
  'Spawn of workerd to the first answer': ({ starts }) => known(quantile(starts.times, 0.5), 1, 'ms'),
  'Resident memory after the first answer': ({ starts }) =>
    known(quantile(starts.memory, 0.5), 1_000_000, 'MB'),
  'Resident memory after the load': ({ memory }) => known(memory ?? Number.NaN, 1_000_000, 'MB'),
}

export function speedTable(measured: ReadonlyMap<string, Speed>): string {
  const names = [...SIDES, BARE].map(({ name }) => name)
  const rows = Object.entries(ROWS).map(([title, cell]) => [
    title,
    ...names.map((name) => cell(measured.get(name) as Speed)),
  ])
  return table(['', ...names], rows)
}

function latencies(values: readonly number[]): string {
  return `${quantile(values, 0.5).toFixed(1)}; ${quantile(values, 0.99).toFixed(1)} ms`
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(bytes < 10_000 ? 1 : 0)} kB`
}

function known(value: number, unit: number, name: string): string {
  return Number.isNaN(value) ? '–' : `${Math.round(value / unit)} ${name}`
}
