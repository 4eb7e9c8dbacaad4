import { html } from '@grantkit/pages'
import { scaleUtc } from 'd3-scale'
import type { Markup } from '../../http/page.ts'
import type { ChartWindow } from '../../operator/time-range.ts'
import { DAY_MINUTES, MINUTE_MS } from '../../time-units.ts'
import { PLOT_HEIGHT, round } from './chart.ts'

/** About as many: the steps of the scale are 5, 15 and 30 minutes, 3, 6 and 12 hours, days and weeks. */
const TICKS = 6

/** The position of a time in percent of the width. @param minute since the epoch */
export function positionIn({ since, until }: ChartWindow, minute: number): number {
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
export function timeAxis(window: ChartWindow): Markup {
  const isDays = window.minutes > DAY_MINUTES
  const ticks = timeTicks(window)
  return html`<g class="axis" aria-hidden="true">${ticks.map(({ at, time, text }, index) => {
    const clock = isDays ? '' : html` data-clock="${time.toISOString()}"`
    return html`
<line x1="${at}%" x2="${at}%" y1="${PLOT_HEIGHT}" y2="${PLOT_HEIGHT + 4}"/><text x="${at}%" y="${PLOT_HEIGHT + 18}" text-anchor="middle"${ticks.length > FIT_A_PHONE && index % 2 === 1 ? html` class="second"` : ''}${clock}>${text}</text>`
  })}</g>`
}

/** Lines at values, with their labels before the plot. @param positionOf in pixels from the top */
export function valueAxis(
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
