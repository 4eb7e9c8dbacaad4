import { html } from '@grantkit/pages'
import type { Context } from 'hono'
import { type Markup, pageResponse, type Site } from '../pages/page.ts'
import { type OperatorVisit, signInPath } from './operator-visits.ts'

/** Shared by all pages of the operator's view. */

export { addressOf, pageLinks } from '../pages/pagination.ts'

interface AdminPage {
  readonly title: string
  readonly main: Markup
  readonly problem?: string | undefined
  readonly status?: number
}

export function adminPage(
  site: Site,
  { title, main, problem, status = problem === undefined ? 200 : 403 }: AdminPage,
): Response {
  const at = `${site.basePath}/admin`
  const framed = html`
<nav class="sections" aria-label="Operator's view">
  <a href="${at}">Overview</a>
  <a href="${at}/users">Users</a>
  <a href="${at}/clients">Clients</a>
  <a href="${at}/trail">Trail</a>
</nav>
<h1>${title}</h1>
${problem === undefined ? '' : html`<p class="problem" role="alert">${problem}</p>`}
${main}`
  return pageResponse(site, { title, main: framed, status, formAction: ["'self'"] })
}

/** A query parameter; `undefined` if it is empty. Postgres accepts no NUL in a text. */
export function parameter(c: Context, name: string): string | undefined {
  return c.req.query(name)?.replaceAll('\0', ' ').trim() || undefined
}

/** A form with one button. Without a token it leads to the sign-in page. */
export function buttonForm(fields: Record<string, string>, button: Markup, { token }: OperatorVisit): Markup {
  if (token === undefined) return html``
  return html`
<form method="post" class="actions">
  <input type="hidden" name="token" value="${token}">
  ${Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
  ${button}
</form>`
}

/** Shown instead of the buttons if the operator has to sign in again. */
export function signInAgain({ basePath }: Site, c: Context, { token }: OperatorVisit): Markup {
  if (token !== undefined) return html``
  return html`<p class="hint">To change something here, <a href="${signInPath(basePath, c)}">sign in again</a>.</p>`
}

/** A list of names and values. */
export function facts(rows: readonly (readonly [name: string, value: Markup | string])[]): Markup {
  return html`<dl>${rows.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`
}
