import { expect, it } from 'vitest'
import { type RangeName, windowOf } from '../operator/overview.ts'
import {
  ageBars,
  durationLines,
  durationText,
  FIT_A_PHONE,
  intervalsOf,
  overviewCharts,
  stackedBars,
  timeTicks,
} from './charts.ts'

/** 22 November 2026, a Sunday, at 10:07 UTC. */
const NOW = Date.UTC(2026, 10, 22, 10, 7) / 60_000
const TEXT = { id: 'sign-ins', title: 'Sign-ins <b>', description: 'Who signed in' }

it.each<[RangeName, number, string]>([
  ['1h', 60, '09:15 09:30 09:45 10:00'],
  ['24h', 72, '12:00 15:00 18:00 21:00 00:00 03:00 06:00 09:00'],
  ['7d', 84, '16 Nov 17 Nov 18 Nov 19 Nov 20 Nov 21 Nov 22 Nov'],
  ['30d', 30, '25 Oct 1 Nov 8 Nov 15 Nov 22 Nov'],
])('a chart of %s has %d bars and ticks at round times, which do not overlap', (range, bars, ticks) => {
  const window = windowOf(range, NOW)
  expect(intervalsOf(window).length).toBe(bars)
  expect(window.until).toBeGreaterThan(NOW)
  const shown = timeTicks(window)
  expect(shown.map(({ text }) => text).join(' ')).toBe(ticks)
  // A label has 44 pixels of the 270 of a phone.
  const step = shown.length > FIT_A_PHONE ? 2 : 1
  const visible = shown.filter((_, index) => index % step === 0).map(({ at }) => at)
  for (const [index, at] of visible.slice(1).entries()) expect(at - (visible[index] ?? 0)).toBeGreaterThan(17)
})

/** The values of an hour, with these at its end. */
const lastOf = (...values: number[]) => [...Array.from({ length: 60 - values.length }, () => 0), ...values]

it('stacks the series of an interval from the bottom, and leaves out what is empty', () => {
  const series = [
    { name: 'Succeeded', values: lastOf(6, 0, 2) },
    { name: 'Failed', values: lastOf(2, 0, 0) },
  ]
  const page = String(stackedBars(TEXT, windowOf('1h', NOW), series))
  const bars = [...page.matchAll(/<rect class="(.*?)" x="(.*?)%" width=".*?" y="(.*?)" height="(.*?)"\/>/g)]
  expect(bars.map(([, kind, x, y, height]) => [kind, ...[x, y, height].map(Number)])).toEqual([
    ['series-1', 95, 37.5, 112.5],
    ['series-2', 95, 0, 37.5],
    ['series-1', 98.33, 112.5, 37.5],
  ])
  expect(page).toContain('22 Nov 2026, 10:05 UTC: Succeeded 6, Failed 2')
})

it('names itself for readers who do not see it, escapes, and has no inline style', () => {
  const series = [{ name: '<i>', values: lastOf(3) }]
  const page = String(stackedBars(TEXT, windowOf('1h', NOW), series))
  expect(page).toContain('<title id="sign-ins-name">Sign-ins &lt;b&gt;</title>')
  expect(page).toContain('<desc id="sign-ins-says">Who signed in</desc>')
  expect(page).not.toMatch(/<i>|style=/)
})

it('has the same figures in a table, without empty intervals', () => {
  const page = String(
    stackedBars(TEXT, windowOf('1h', NOW), [{ name: 'Succeeded', values: lastOf(1234, 0, 2) }]),
  )
  const cells = [...page.matchAll(/<td [^>]*class="number"><div>(.*?)<\/div>/g)].map(([, text]) => text)
  expect(cells).toEqual(['1,234', '2'])
  expect(page).toContain('Succeeded <b>1,236</b>')
})

it('says so if nothing happened', () => {
  const page = String(stackedBars(TEXT, windowOf('24h', NOW), [{ name: 'Succeeded', values: [] }]))
  expect(page).toContain('Nothing in this time.')
  expect(page).not.toContain('<rect')
})

it('breaks a line of durations where there was no response', () => {
  const values = [...Array.from({ length: 57 }, () => undefined), 0.01, undefined, 2.5]
  const page = String(durationLines(TEXT, windowOf('1h', NOW), [{ name: 'POST /token', values }]))
  const [, path = ''] = / d="(.*?)"/.exec(page) ?? []
  expect(path.match(/M/g)?.length).toBe(2)
  expect(path).toMatch(/M99\.17,0Z$/)
  expect(page).toContain('POST /token <b>up to 2.5 s</b>')
})

it.each([
  [0.0005, '0.5 ms'],
  [0.0123, '12 ms'],
  [0.9999, '1000 ms'],
  [2.5, '2.5 s'],
])('writes %d seconds as %s', (seconds, text) => {
  expect(durationText(seconds)).toBe(text)
})

it('draws the oldest first, from zero, each with its age', () => {
  const page = String(
    ageBars('Keys', [
      { name: 'new', days: 0, kind: 3 },
      { name: 'old', days: 100, kind: 2 },
    ]),
  )
  expect(page).toMatch(
    /old<\/text><rect class="series-2" x="0" y="17" width="100%".*new<\/text>.*width="0.5%"/s,
  )
  expect(page).toContain('>0<')
})

it('names no file of the pages and no probe among the busiest endpoints', async () => {
  const paths = ['/assets/icon.svg', '/base/assets/:name', '/healthz', '/base/readyz', '/api/oauth/token']
  const window = windowOf('1h', NOW)
  const responses = paths.map((path) => ({
    ...{ label: `GET ${path}`, start: window.since, bucket: 1, count: 5 },
  }))
  const read = async ({ name }: { readonly name: string }) => (name === 'response' ? responses : [])
  const page = String(await overviewCharts({ read }, window))
  expect([...new Set(page.match(/GET [^<"\s]+/g))]).toEqual(['GET /api/oauth/token'])
})
