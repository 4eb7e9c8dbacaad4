import { OAuthError } from '@grantkit/core'
import { html } from '@grantkit/pages'
import type { Context } from 'hono'
import type { AccountDirectory } from '../accounts/account-directory.ts'
import { actingAs } from '../audit/caller.ts'
import type { TrailReader } from '../audit/reading.ts'
import { formOf, seeOther, type WithBody } from '../http/bodies-and-answers.ts'
import { addressOf, type Markup, pageResponse, type Site } from '../http/page.ts'
import { signInAddress, signInAgain } from '../http/sign-in-wishes.ts'
import type { Operator } from '../operator/operator.ts'
import { RANGES, type RangeName, rangeNamed, sinceOf } from '../operator/overview.ts'
import { accountVisits } from '../pages/change-sign-in.ts'
import type { PageParts } from '../pages/parts.ts'
import type { Visit } from '../sign-in/session.ts'
import type { StatisticsReader } from '../statistics/statistics.ts'

/** Shared by all pages of the operator's view. */

export { addressOf, pageLinks } from '../http/page.ts'

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
  /** Whether it shows a time: then it says in which zone. */
  readonly hasTimes: boolean
  readonly problem?: string | undefined
  readonly status?: number
}

export function adminPage(
  site: Site,
  visit: OperatorVisit,
  { title, section, main, hasTimes, problem, status = problem === undefined ? 200 : 403 }: AdminPage,
): Response {
  const framed = html`
<h1>${title}</h1>
${problem === undefined ? '' : html`<p class="problem" role="alert">${problem}</p>`}
${visit.notice === undefined ? '' : html`<p class="notice" role="status">${visit.notice}</p>`}
${main}
${hasTimes ? TIME_ZONE : ''}`
  return pageResponse(site, {
    title,
    main: framed,
    header: navigation(site, visit, section, title),
    status,
    wide: true,
    script: 'local-times.js',
    formAction: ["'self'"],
  })
}

function navigation(
  { basePath }: Site,
  { account }: OperatorVisit,
  section: AdminPage['section'],
  title: string,
): Markup {
  // The link of a section leads to the page with its name.
  const current = html` aria-current="${SECTIONS[section] === title ? 'page' : 'true'}"`
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

/**
 * What an operator can do something about, as a problem. @throws the error if it is a fault, as a store that cannot be reached
 *
 * @param nothing what the problem leaves as it was
 */
export function problemOf(error: unknown, nothing = 'Nothing was changed.'): string {
  if (error instanceof OAuthError && error.status < 500) return `${error.message}. ${nothing}`
  throw error
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
export function toSignInAgain({ basePath }: Site, c: Context, { token, strong }: OperatorVisit): Markup {
  if (token !== undefined) return html``
  const path = signInAgain(basePath, pathOf(c), strong)
  return html`<p class="hint">To change something here, <a href="${path}">sign in again</a>${strong ? '' : ' with your passkey'}.</p>`
}

/** A list of names and values. */
export function facts(rows: readonly (readonly [name: string, value: Markup | string])[]): Markup {
  return html`<dl class="facts">${rows.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`
}

/** A form that filters a list by its address. @param fields in their order */
export function filterForm(path: string, fields: Markup[], button = 'Show'): Markup {
  return html`
<form method="get" action="${path}" class="filter">
  ${fields}
  <button class="primary">${button}</button>
</form>`
}

interface Choice {
  readonly value: string
  readonly text: string
}

interface Field {
  readonly name: string
  readonly label: string
  readonly value: string | undefined
}

export function textField({ name, label, value }: Field): Markup {
  return html`<div><label for="${name}">${label}</label><input id="${name}" name="${name}" value="${value ?? ''}"></div>`
}

/** @param all the text of the choice of everything */
export function choiceField({ name, label, value }: Field, all: string, choices: readonly Choice[]): Markup {
  const option = (choice: Choice) =>
    html`<option value="${choice.value}"${choice.value === value ? html` selected` : ''}>${choice.text}</option>`
  return html`<div><label for="${name}">${label}</label><select id="${name}" name="${name}">${[{ value: '', text: all }, ...choices].map(option)}</select></div>`
}

/** Whose entries a list has. */
export interface Filter {
  readonly range: RangeName | undefined
  readonly user: string | undefined
  readonly client: string | undefined
}

export function filterOf(c: Context): Filter {
  const [user, client] = [parameter(c, 'user'), parameter(c, 'client')]
  return { range: rangeNamed(parameter(c, 'range')), user, client }
}

/** @param what the field between the time and the user */
export function filterFields({ range, user, client }: Filter, what: Markup): Markup[] {
  return [
    rangeField(range),
    what,
    textField({ name: 'user', label: 'User, by e-mail address or id', value: user }),
    textField({ name: 'client', label: 'Client, by id', value: client }),
  ]
}

/** The same filter for the trail and for attempts. */
export async function queryOf(
  { directory }: { readonly directory: Pick<AccountDirectory, 'withEmail'> },
  { range, user, client }: Filter,
) {
  const subject = user?.includes('@') ? ((await directory.withEmail(user))?.id ?? user) : user
  return { subject, clientId: client, since: sinceOf(range) }
}

export function rangeField(value: string | undefined): Markup {
  const choices = Object.entries(RANGES).map(([name, { text }]) => ({ value: name, text }))
  return choiceField({ name: 'range', label: 'Time', value }, 'All', choices)
}

/** A signed-in operator on a page of the operator's view. */
export interface OperatorVisit extends Visit {
  /** The token of the forms; absent if the operator has to sign in again before a change. */
  readonly token: string | undefined
  /** Whether the operator signed in strongly enough for a change. */
  readonly strong: boolean
  /** What a form did before. */
  readonly notice?: string | undefined
}

/** A page, with the problem if it is shown again. */
export type Show = (c: Context, visit: OperatorVisit, problem?: string) => Promise<Response>
/** What a form does. Returns a page, or what it has done, which the page then shows; `undefined` for nothing. */
type Change = (
  c: Context,
  visit: OperatorVisit,
  fields: Record<string, string>,
) => Promise<Response | string | undefined>

/** What the operator's view is made of. */
export interface AdminOptions extends PageParts {
  readonly operator: Operator
  readonly trail: TrailReader
  readonly statistics: StatisticsReader
  /** How an operator calls the commands. */
  readonly program: string
  /** Whether registration needs an initial access token. */
  readonly registersWithToken: boolean
}

const PAGE_EXPIRED = 'This page was open for too long. Nothing was changed; please try again.'
const NOT_FRESH = 'To change something here, sign in again first. Nothing was changed.'

export type OperatorVisits = ReturnType<typeof operatorVisits>

/**
 * Checks who may see the operator's view, and who may change something there, by how and when they signed in. Runs at each request, so a removed admin
 * mark counts at once. Users without the mark get the 404 of a path that does not exist.
 */
export function operatorVisits(options: AdminOptions) {
  const { site, directory, adminSignIns } = options
  const visits = accountVisits(options, 'admin')

  async function asOperator(c: Context, answer: (visit: OperatorVisit) => Promise<Response>) {
    const visit = await visits.of(c)
    if (visit === undefined) return seeOther(c, signInAddress(site.basePath, pathOf(c)))
    if (!(await directory.isAdmin(visit.account.id))) return c.notFound()
    const strong = await adminSignIns.isStrong(visit)
    const token = strong && (await visits.isFresh(visit)) ? visits.tokenFor(visit) : undefined
    return actingAs(`account:${visit.account.id}`, () => answer({ ...visit, token, strong }))
  }

  return {
    page: (show: Show) => (c: Context) =>
      asOperator(c, (visit) => show(c, { ...visit, notice: visits.noticeOf(c, visit) })),
    /** Handles a form of the page. The page is shown again if the operator may not change anything. */
    form: (show: Show, change: Change) => (c: Context<WithBody>) =>
      asOperator(c, async (visit) => {
        const fields = formOf(c)
        if (!visits.isOwnForm(c, visit, fields.token)) return show(c, visit, PAGE_EXPIRED)
        if (visit.token === undefined) return show(c, visit, NOT_FRESH)
        const done = await change(c, visit, fields)
        if (typeof done === 'object') return done
        const notice = done && visits.signNotice(visit.session, done)
        return seeOther(c, addressOf(new URL(c.req.url).pathname, { id: parameter(c, 'id'), notice }))
      }),
  }
}

/** The sign-in page leads back to it. */
function pathOf(c: Context): string {
  const { pathname, search } = new URL(c.req.url)
  return pathname + search
}

export interface Column<Row> {
  readonly head: string
  readonly cell: (row: Row) => Markup | string
  /** Digits, which are aligned at their end. */
  readonly numeric?: boolean
}

/**
 * A table, whose rows are cards on a phone. They would no longer be a table for a screen reader there, so each part names its
 * role.
 */
export function table<Row>(name: string, columns: readonly Column<Row>[], rows: readonly Row[]): Markup {
  const align = ({ numeric }: Column<Row>) => (numeric ? html` class="number"` : '')
  return html`
<table role="table" aria-label="${name}">
<thead role="rowgroup"><tr role="row">${columns.map(
    (column) => html`<th role="columnheader" scope="col"${align(column)}>${column.head}</th>`,
  )}</tr></thead>
<tbody role="rowgroup">${rows.map(
    (row) => html`
<tr role="row">${columns.map(
      (column) =>
        html`<td role="cell" data-head="${column.head}"${align(column)}><div>${column.cell(row)}</div></td>`,
    )}</tr>`,
  )}</tbody>
</table>`
}

/** A time in UTC. The script of the page rewrites it in the time zone of the browser. @param seconds since the epoch */
export function momentOf(seconds: number): Markup {
  const iso = new Date(seconds * 1000).toISOString()
  return html`<time datetime="${iso}" title="${iso}">${IN_WORDS.format(seconds * 1000)} UTC</time>`
}

/** The same for a time of the trail, to the second. @param iso ISO 8601 in UTC */
export function exactMoment(iso: string): Markup {
  const text = EXACT.format(Date.parse(iso))
  return html`<time datetime="${iso}" data-exact title="${iso}">${text} UTC</time>`
}

/** Said once a page. The script replaces it. */
const TIME_ZONE = html`<p class="hint" data-time-zone>Times are in UTC.</p>`

const IN_WORDS = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'medium',
  timeStyle: 'short',
  timeZone: 'UTC',
})
const EXACT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium', timeZone: 'UTC' })
