import { html } from '@grantkit/pages'
import { scaleLinear } from 'd3-scale'
import type { Markup } from '../../http/page.ts'
import type { ChartWindow } from '../../operator/time-range.ts'
import { positionIn, timeAxis, valueAxis } from './axes.ts'
import {
  type ChartText,
  chart,
  figuresOf,
  intervalsOf,
  legend,
  PLOT_HEIGHT,
  round,
  type Series,
} from './chart.ts'

const COUNT = new Intl.NumberFormat('en-GB')
const SHORT = new Intl.NumberFormat('en-GB', { notation: 'compact' })

/** Counts by interval, one series above the other. */
export function stackedBars(text: ChartText, window: ChartWindow, series: readonly Series[]): Markup {
  const intervals = intervalsOf(window)
  const totals = intervals.map((_, index) => sum(series.map(({ values }) => values[index] ?? 0)))
  const scale = scaleLinear([0, Math.max(4, ...totals)], [PLOT_HEIGHT, 0]).nice(4)
  const plot = html`
${valueAxis(scale.ticks(4), scale, (value) => SHORT.format(value))}
${intervals.map((start, index) => (totals[index] === 0 ? '' : bar({ window, series, start, index, scale })))}
${timeAxis(window)}`
  const named = series.map(({ name, values }) => ({ name, figure: COUNT.format(sum(values)) }))
  const figures = html`${legend(named)}${figuresOf(window, series, (value) => COUNT.format(value))}`
  return chart(text, plot, figures)
}

interface Bar {
  readonly window: ChartWindow
  readonly series: readonly Series[]
  readonly start: number
  readonly index: number
  readonly scale: (value: number) => number
}

/** The bars of one interval, with a tip. */
function bar({ window, series, start, index, scale }: Bar): Markup {
  const x = positionIn(window, start)
  const width = round((window.step / window.minutes) * 100 * FILLED)
  let below = 0
  const parts = series.map(({ values }, place) => {
    const value = values[index] ?? 0
    const [top, bottom] = [round(scale(below + value)), round(scale(below))]
    below += value
    if (value === 0) return ''
    return html`<rect class="series-${place + 1}" x="${x}%" width="${width}%" y="${top}" height="${round(bottom - top)}"/>`
  })
  const says = series.map(({ name, values }) => `${name} ${COUNT.format(values[index] ?? 0)}`).join(', ')
  const from = new Date(start * 60_000)
  return html`
<g><title data-from="${from.toISOString()}" data-says="${says}">${TIP.format(from)} UTC: ${says}</title>${parts}</g>`
}

/** The rest of the width separates bars. */
const FILLED = 0.8

const TIP = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })

function sum(values: readonly (number | undefined)[]): number {
  return values.reduce<number>((total, value = 0) => total + value, 0)
}
