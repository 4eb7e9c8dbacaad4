import type { HttpRequest } from '@grantkit/core'
import { toResponse } from '@grantkit/core/adapter'
import { html, type PageContent, type Pages, type SafeHtml } from '@grantkit/pages'
import type { Context } from 'hono'

/** Markup with all values escaped. */
export type Markup = SafeHtml

/** Shared by all pages. */
export interface Site {
  /** The beginning of the path of each link. */
  readonly basePath: string
  readonly ui: Pages
  /** Of the reader, by its BCP 47 tag. Default: the first one of the pages. */
  readonly language?: { readonly tag: string } | undefined
}

/** A page in the layout of all others, as a response of a handler. @param shown its script is the name of an asset */
export function pageResponse({ basePath, ui, language }: Site, shown: PageContent): Response {
  const script = shown.script && `${basePath}/assets/${shown.script}`
  return toResponse(ui.page({ ...shown, script, locale: language?.tag }))
}

/** The request for a page, as core has it. The body is left out: no page needs it. */
export function requestOf(c: Context): HttpRequest {
  const { pathname: path, search } = new URL(c.req.url)
  return { method: c.req.method, path, query: search.slice(1), headers: c.req.header(), body: '' }
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
