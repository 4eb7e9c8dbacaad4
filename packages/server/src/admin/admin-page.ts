import { html } from '@grantkit/pages'
import type { Context } from 'hono'
import { type Markup, pageResponse, type Site } from '../http/page.ts'
import { type OperatorVisit, signInPath } from './operator-visits.ts'
import { TIME_ZONE } from './times.ts'

/** Shared by all pages of the operator's view. */

export { addressOf, pageLinks } from '../pages/pagination.ts'

const SECTIONS = {
  '': 'Overview',
  '/users': 'Users',
  '/clients': 'Clients',
  '/why': 'Failed sign-ins',
  '/trail': 'Audit trail',
} as const

interface AdminPage {
  readonly title: string
  /** Where the navigation shows the operator. */
  readonly section: keyof typeof SECTIONS
  readonly main: Markup
  readonly problem?: string | undefined
  readonly status?: number
}

export function adminPage(
  site: Site,
  visit: OperatorVisit,
  { title, section, main, problem, status = problem === undefined ? 200 : 403 }: AdminPage,
): Response {
  const framed = html`
<h1>${title}</h1>
${problem === undefined ? '' : html`<p class="problem" role="alert">${problem}</p>`}
${main}
${TIME_ZONE}`
  return pageResponse(site, {
    title,
    main: framed,
    header: navigation(site, visit, { section, isItself: SECTIONS[section] === title }),
    status,
    wide: true,
    script: 'local-times.js',
    formAction: ["'self'"],
  })
}

interface Place extends Pick<AdminPage, 'section'> {
  /** Whether the page is the one that the link of its section leads to. */
  readonly isItself: boolean
}

function navigation({ basePath }: Site, { account }: OperatorVisit, { section, isItself }: Place): Markup {
  const current = html` aria-current="${isItself ? 'page' : 'true'}"`
  return html`
<nav class="sections" aria-label="Operator's view">${Object.entries(SECTIONS).map(
    ([path, name]) => html`<a href="${basePath}/admin${path}"${path === section ? current : ''}>${name}</a>`,
  )}</nav>
<div class="operator">
  <a href="${basePath}/account"><span class="unseen">Signed in as </span><bdi>${account.email ?? account.name}</bdi></a>
  <form method="post" action="${basePath}/logout">
    <input type="hidden" name="return_to" value="${basePath}/admin">
    <button>Sign out</button>
  </form>
</div>`
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
export function signInAgain({ basePath }: Site, c: Context, { token, strong }: OperatorVisit): Markup {
  if (token !== undefined) return html``
  const path = `${signInPath(basePath, c)}&prompt=login${strong ? '' : '&acr_values=phr'}`
  return html`<p class="hint">To change something here, <a href="${path}">sign in again</a>${strong ? '' : ' with your passkey'}.</p>`
}

/** A list of names and values. */
export function facts(rows: readonly (readonly [name: string, value: Markup | string])[]): Markup {
  return html`<dl class="facts">${rows.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`
}
