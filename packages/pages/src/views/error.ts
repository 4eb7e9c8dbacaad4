import type { AuthorizationServer, ErrorView, HttpResponse } from '@grantkit/core'
import { VERDICTS, type VerdictText } from '@grantkit/explain'
import { html, type SafeHtml } from '@remix-run/html-template'
import { fill } from '../language.ts'
import { layout, type PageContext } from '../layout.ts'
import { adviceOn } from './advice.ts'

type Metadata = Partial<AuthorizationServer['metadata']>

/**
 * The error page, with words for the user and words for the app. A program that opened a browser does not see it, so its
 * user can pass them on.
 */
export function errorPage(context: PageContext, view: ErrorView): HttpResponse {
  const { site, language } = context
  const { error } = language
  const unavailable = view.status >= 500
  const title = unavailable ? error.unavailableTitle : error.title
  const remedy = remedyOf(view.reason)
  const main = html`
<h1>${title}</h1>
<p>${fill(adviceOn(language, view), { brand: html`<bdi>${site.theme.name}</bdi>` })}</p>${reference(context, view)}${remedy === undefined ? '' : html`<p>${error.tellProgram}</p>`}
<details class="developer">
  <summary>${error.forDeveloper}</summary>
  <div lang="en" dir="ltr">${details(view, waysIn(view, site.metadata?.()))}${remedy === undefined ? '' : remedyLines(remedy)}</div>
</details>`
  return layout(context, { title, main, status: view.status })
}

/** What a user tells the operator, who finds the sign-in attempt by it. */
function reference({ language: { error } }: PageContext, { reference }: ErrorView): SafeHtml | '' {
  if (reference === undefined) return ''
  return html`
<p>${fill(error.reference, { reference: html`<bdi dir="ltr"><code>${reference}</code></bdi>` })}</p>`
}

/** What the server offers to an app that it does not know, by the names of RFC 8414. */
function waysIn({ reason }: ErrorView, metadata: Metadata | undefined): Metadata {
  if (reason !== 'client_unknown' || metadata === undefined) return {}
  const { registration_endpoint, client_id_metadata_document_supported } = metadata
  return { registration_endpoint, client_id_metadata_document_supported }
}

function details({ error, reason, reference, ...view }: ErrorView, offered: Metadata): SafeHtml {
  const rows = Object.entries({ error, reason, reference, ...view.parameters, ...offered }).flatMap(
    ([name, value]) => (value === undefined ? [] : [[name, String(value)]]),
  )
  return html`
  <dl>${rows.map(([name, value]) => html`<dt>${name}</dt><dd><code>${value}</code></dd>`)}</dl>
  <p>${view.description}</p>`
}

/**
 * What an app must do before it sends its user again: the words that an operator would send to its developer, so they are in
 * English. Absent if the app cannot change it.
 */
function remedyOf(reason: string): SafeHtml | undefined {
  const verdict = (VERDICTS as Readonly<Record<string, VerdictText>>)[reason]
  if (verdict === undefined || verdict.by === 'user' || verdict.by === 'server') return undefined
  return html`${verdict.toDeveloper.split('`').map((part, index) => (index % 2 === 0 ? part : html`<code>${part}</code>`))}`
}

function remedyLines(remedy: SafeHtml): SafeHtml {
  return html`
  <p>${remedy}</p>
  <p>A program gets this as JSON, before it opens a browser, by the same request with <code>Accept: application/json</code>.</p>`
}
