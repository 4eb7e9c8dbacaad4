import { html } from '@grantkit/pages'
import type { Markup } from '../../http/page.ts'
import type { ChartWindow } from '../../operator/time-range.ts'
import { table } from '../table.ts'
import { momentOf } from '../times.ts'

/**
 * A chart without script: positions in percent of the width, so that it fits any screen with text of one size, and in pixels of
 * the height. Colors are classes of the style sheet.
 */

/** One color of a chart. */
export interface Series {
  readonly name: string
  /** By the intervals of the window; `undefined` where there is nothing to show. */
  readonly values: readonly (number | undefined)[]
}

export interface ChartText {
  /** Unique on the page, for its labels. */
  readonly id: string
  readonly title: string
  /** What the chart shows, for readers who do not see it. */
  readonly description: string
}

export const PLOT_HEIGHT = 150

/** @param plot what is inside the SVG @param figures a table of what it shows */
export function chart({ id, title, description }: ChartText, plot: Markup, figures: Markup): Markup {
  return html`
<figure class="chart" aria-labelledby="${id}-title">
  <figcaption id="${id}-title">${title}</figcaption>
  <div class="plot">
    <svg role="img" width="100%" height="${PLOT_HEIGHT + 24}" aria-labelledby="${id}-name ${id}-says">
      <title id="${id}-name">${title}</title>
      <desc id="${id}-says">${description}</desc>
      ${plot}
    </svg>
  </div>
  ${figures}
</figure>`
}

/** The names of the series with their colors, in the order in which they are stacked. */
export function legend(series: readonly { readonly name: string; readonly figure: string }[]): Markup {
  return html`<ul class="legend">${series.map(
    ({ name, figure }, index) =>
      html`<li><span class="swatch series-${index + 1}"></span>${name} <b>${figure}</b></li>`,
  )}</ul>`
}

/** The same figures by interval, without the empty ones. */
export function figuresOf(
  window: ChartWindow,
  series: readonly Series[],
  textOf: (value: number) => string,
): Markup {
  const rows = intervalsOf(window)
    .map((start, index) => ({ start, values: series.map(({ values }) => values[index]) }))
    .filter(({ values }) => values.some((value) => value))
  const columns = series.map(({ name }, index) => ({
    head: name,
    numeric: true,
    cell: ({ values }: (typeof rows)[number]) => {
      const value = values[index]
      return value === undefined ? '' : textOf(value)
    },
  }))
  const time = { head: 'From', cell: ({ start }: { start: number }) => momentOf(start * 60) }
  const body =
    rows.length === 0 ? html`<p>Nothing in this time.</p>` : table('Figures', [time, ...columns], rows)
  return html`<details class="figures"><summary>Figures</summary><div class="scroll" role="group" tabindex="0" aria-label="Figures">${body}</div></details>`
}

/** The beginnings of the intervals, in minutes since the epoch. */
export function intervalsOf({ since, until, step }: ChartWindow): number[] {
  return Array.from({ length: (until - since) / step }, (_, index) => since + index * step)
}

/** A number that SVG reads, without needless digits. */
export function round(value: number): number {
  return Math.round(value * 100) / 100
}
