import { toResponse } from '@grantkit/core/adapter'
import { html, type PageContent, type Pages, type SafeHtml } from '@grantkit/pages'

/** Markup with all values escaped. */
export type Markup = SafeHtml

/** Shared by all pages. */
export interface Site {
  /** The beginning of the path of each link. */
  readonly basePath: string
  readonly ui: Pages
}

/** Formats a time with its zone: without a script the reader's zone is unknown. @param seconds since the epoch */
export function pointInTime(seconds: number): Markup {
  const time = new Date(seconds * 1000)
  return html`<time datetime="${time.toISOString()}">${IN_WORDS.format(time)} UTC</time>`
}

/** As the list of connected apps, which stands on the account page too. */
export const IN_WORDS = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'medium',
  timeStyle: 'short',
  timeZone: 'UTC',
})

/** A page in the layout of all others, as a response of a handler. @param shown its script is the name of an asset */
export function pageResponse({ basePath, ui }: Site, shown: PageContent): Response {
  const script = shown.script && `${basePath}/assets/${shown.script}`
  return toResponse(ui.page({ ...shown, script }))
}

/** The reference of a sign-in that failed, if it has one: its user gives it to the operator. */
export function forOperator(reference: string | undefined): Markup | '' {
  return reference === undefined ? '' : html`<p>Reference: <code>${reference}</code></p>`
}

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
