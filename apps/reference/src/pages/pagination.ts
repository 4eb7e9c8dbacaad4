import { html } from 'hono/html'
import type { Markup } from './page.ts'

/** The part of a long list that one page shows. */
export interface Part<T> {
  readonly items: readonly T[]
  /** From 1. */
  readonly number: number
  /** The number of the last part. */
  readonly last: number
}

const MOST_ITEMS = 20

/** The part that a query asks for with `page`. A number that there is none of gives the nearest. */
export function partOf<T>(all: readonly T[], page: string | undefined): Part<T> {
  const last = Math.max(1, Math.ceil(all.length / MOST_ITEMS))
  const number = Math.min(pageNumber(page), last)
  return { items: all.slice((number - 1) * MOST_ITEMS, number * MOST_ITEMS), number, last }
}

export function pageNumber(page: string | undefined): number {
  const asked = Number(page)
  return Number.isSafeInteger(asked) && asked > 0 ? asked : 1
}

/** The address of a part, with further parameters. */
export function pageAddress(path: string, number: number, further: Record<string, string> = {}): string {
  const query = new URLSearchParams({ ...(number > 1 ? { page: String(number) } : {}), ...further })
  return query.size > 0 ? `${path}?${query}` : path
}

/** Where this part stands, and the way to its neighbours. @param further parameters of their addresses */
export function pageLinks(
  { number, last }: Part<unknown>,
  path: string,
  further?: Record<string, string>,
): Markup {
  const link = (to: number, rel: string, text: string) =>
    to < 1 || to > last ? '' : html`<a rel="${rel}" href="${pageAddress(path, to, further)}">${text}</a>`
  return html`
<nav class="actions" aria-label="Pages">
  ${link(number - 1, 'prev', 'Previous page')}
  <span>Page ${number} of ${last}</span>
  ${link(number + 1, 'next', 'Next page')}
</nav>`
}
