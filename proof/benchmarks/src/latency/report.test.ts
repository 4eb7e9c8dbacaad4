import { expect, test } from 'vitest'
import { replaceMarked } from '../publish.ts'
import { Histogram } from './histogram.ts'
import type { Latency, Load } from './measure.ts'
import { report, summary } from './report.ts'

const EFFORT = { seconds: 6, warmUp: 2, commonRate: 200 }
const CONDITIONS = { machine: 'A machine.', command: 'pnpm --dir proof bench:latency', absent: {} }

test('a table has the quantiles of all rounds, with their spread', () => {
  const rounds = [1, 2, 3, 4].map((milliseconds) => of(milliseconds, 500))
  const text = report([latency({ half: load({ rate: 500, histograms: rounds }) })], EFFORT, CONDITIONS)
  expect(text).toMatch(
    /\| Grantkit, SQLite \| 1,000 \| 500 \| 2\.0\d ± 1\.0\d \| 4\.\d+ ± 1\.0\d \| 4\.\d+ ± 1\.0\d \| 3 \|/,
  )
})

test('the last thousandth of a few requests is not shown', () => {
  const few = load({ histograms: [of(1, 900)] })
  expect(report([latency({ half: few, common: few })], EFFORT, CONDITIONS)).toMatch(
    /1\.0\d ± 0\.00 \| – \| 3 \|/,
  )
})

test('requests that were never answered are reported, also where the quantiles look good', () => {
  const text = report([latency({ common: load({ unanswered: 7 }) })], EFFORT, CONDITIONS)
  expect(text).toContain('3; **7 never answered**')
})

test('a round without requests does not make the spread unknown', () => {
  const text = report(
    [latency({ half: load({ histograms: [of(1, 1000), new Histogram()] }) })],
    EFFORT,
    CONDITIONS,
  )
  expect(text).not.toContain('NaN')
})

test('a load without a single request has no quantiles', () => {
  const none = load({ histograms: [new Histogram()] })
  expect(report([latency({ half: none })], EFFORT, CONDITIONS)).toContain('| – | – | – | 3 |')
})

test('a target that was not measured has a reason', () => {
  const absent = { keycloak: 'not measured, KEYCLOAK_HOME was not set.' }
  const text = report([latency({})], EFFORT, { ...CONDITIONS, absent })
  expect(text).toContain('Keycloak, Postgres: – not measured, KEYCLOAK_HOME was not set.')
})

test('the table of the README has the rows of the same load', () => {
  const all = [latency({}), latency({ target: 'memory' }), latency({ exchange: 'consent' })]
  const table = summary(all, EFFORT)
  expect(table).toContain(
    '| 200 requests a second, ms | Refresh, p50 | Refresh, p99 | Consent page, p50 | Consent page, p99 |',
  )
  expect(table).toContain('| Grantkit, SQLite |')
  expect(table).not.toContain('memory')
})

test('the table of the README says what a target bears that the rate is too much for, and no time', () => {
  expect(summary([latency({ capacity: 170 })], EFFORT)).toContain('| bears 170 | bears 170 |')
  expect(summary([latency({ capacity: 200 })], EFFORT)).not.toContain('bears')
})

test('a page without a place for the table is an error, and no other part of a page changes', () => {
  const page = 'before\n<!-- latency:start -->\n\nold\n\n<!-- latency:end -->\nafter'
  expect(replaceMarked(page, 'latency', 'new')).toBe(
    'before\n<!-- latency:start -->\n\nnew\n\n<!-- latency:end -->\nafter',
  )
  expect(() => replaceMarked('before', 'latency', 'new')).toThrow('no marks')
})

function latency(more: Partial<Latency>): Latency {
  const loads = { half: load({}), common: load({}) }
  return { target: 'sqlite', exchange: 'refresh', capacity: 1000, ...loads, ...more }
}

function load(more: Partial<Load>): Load {
  return { rate: 200, histograms: [of(1, 1000)], maxOutstanding: 3, unanswered: 0, maxPause: 1, ...more }
}

function of(milliseconds: number, count: number): Histogram {
  const histogram = new Histogram()
  for (let recorded = 0; recorded < count; recorded++) histogram.record(milliseconds)
  return histogram
}
