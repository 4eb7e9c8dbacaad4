import { html } from '@grantkit/pages'
import type { Markup } from '../http/page.ts'

/** The URL of a page, with the non-empty parameters. */
export function addressOf(path: string, parameters: Record<string, string | undefined>): string {
  const query = Object.entries(parameters).filter((pair): pair is [string, string] => Boolean(pair[1]))
  return query.length === 0 ? path : `${path}?${new URLSearchParams(query)}`
}

/** The links to the next and to the first page of a list. */
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
