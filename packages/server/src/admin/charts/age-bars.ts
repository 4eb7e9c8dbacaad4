import { html } from '@grantkit/pages'
import { scaleLinear } from 'd3-scale'
import type { Markup } from '../../http/page.ts'
import { round } from './chart.ts'

export interface Aged {
  readonly name: string
  readonly days: number
  /** A number from 1, for its color. */
  readonly kind: number
}

const ROW = 34
const MIN_DAYS = 7

/** One bar for each thing, the oldest first. The table below it has the figures. */
export function ageBars(title: string, aged: readonly Aged[]): Markup {
  const oldestFirst = [...aged].sort((one, other) => other.days - one.days)
  const scale = scaleLinear([0, Math.max(MIN_DAYS, ...aged.map(({ days }) => days))], [0, 100]).nice(4)
  const height = oldestFirst.length * ROW
  const ticks = scale.ticks(4).map((days, index, all) => {
    const unit = index === all.length - 1 ? ' days' : ''
    const anchor = index === 0 ? 'start' : index === all.length - 1 ? 'end' : 'middle'
    return html`
<line x1="${scale(days)}%" x2="${scale(days)}%" y1="0" y2="${height}"/><text x="${scale(days)}%" y="${height + 16}" text-anchor="${anchor}">${days}${unit}</text>`
  })
  const bars = oldestFirst.map(
    ({ name, days, kind }, index) => html`
<text class="label" x="0" y="${index * ROW + 12}">${name}</text><rect class="series-${kind}" x="0" y="${index * ROW + 17}" width="${Math.max(0.5, round(scale(days)))}%" height="10"/>`,
  )
  return html`
<svg class="ages" role="img" width="100%" height="${height + 22}" aria-label="${title}"><g class="axis" aria-hidden="true">${ticks}</g>${bars}</svg>`
}
