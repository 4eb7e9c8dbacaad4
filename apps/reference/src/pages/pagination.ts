import { html } from 'hono/html'
import type { Markup } from './page.ts'

/** The address of a page, with the parameters that are given. */
export function addressOf(path: string, parameters: Record<string, string | undefined>): string {
  const given = Object.entries(parameters).flatMap(([name, value]) => (value ? [[name, value]] : []))
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`
}

/** The link to the next page of a list, and to the first one from any other. */
export function pageLinks(
  path: string,
  { after, ...filter }: Record<string, string | undefined>,
  next: string | undefined,
): Markup {
  const link = (cursor: string | undefined, rel: string, text: string) =>
    html`<a rel="${rel}" href="${addressOf(path, { ...filter, after: cursor })}">${text}</a>`
  if (after === undefined && next === undefined) return html``
  return html`
<nav class="actions" aria-label="Pages">
  ${after === undefined ? '' : link(undefined, 'first', 'First page')}
  ${next === undefined ? '' : link(next, 'next', 'Next page')}
</nav>`
}
