import { html } from '@grantkit/pages'
import { scaleLog } from 'd3-scale'
import { line } from 'd3-shape'
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

const TICKS = [0.001, 0.01, 0.1, 1]
const MAX_SECONDS = 2.5

/** Durations in seconds on a logarithmic scale: a password check takes a hundred times as long as a refresh. */
export function durationLines(text: ChartText, window: ChartWindow, series: readonly Series[]): Markup {
  const scale = scaleLog([TICKS[0] ?? 0, MAX_SECONDS], [PLOT_HEIGHT, 0]).clamp(true)
  const intervals = intervalsOf(window)
  const path = line<number | undefined>()
    .defined((value) => value !== undefined)
    .x((_, index) => positionIn(window, (intervals[index] ?? 0) + window.step / 2))
    .y((value) => round(scale(value ?? 0)))
  const plot = html`
${valueAxis(TICKS, scale, durationText)}
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
