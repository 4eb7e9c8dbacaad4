import {
  type AuthorizationServer,
  type FoundInitialAccessToken,
  type InitialAccessToken,
  OAuthError,
  type PublicClient,
} from '@grantkit/core'
import { html } from '@grantkit/pages'
import type { TrailReader } from '../audit/reading.ts'
import type { CommandNames } from '../config/command-names.ts'
import { DAY_SECONDS } from '../config/time-units.ts'
import { eventWords } from '../events.ts'
import { seeOther } from '../http/bodies-and-answers.ts'
import type { Markup, Site } from '../http/page.ts'
import { CLIENT_ENTRIES, type RecentClient, recentClients, recentInitialTokens } from '../operator/clients.ts'
import { type RangeName, rangeNamed, sinceOf } from '../operator/overview.ts'
import {
  addressOf,
  adminPage,
  buttonForm,
  choiceField,
  exactMoment,
  filterForm,
  momentOf,
  type OperatorVisit,
  type OperatorVisits,
  pageLinks,
  parameter,
  rangeField,
  type Show,
  signInAgain,
  table,
  textField,
} from './admin-page.ts'

const KINDS: Readonly<Record<string, { text: string; types: readonly string[] }>> = {
  added: { text: 'Added by an operator', types: CLIENT_ENTRIES.added },
  approved: { text: 'Approved by a user', types: CLIENT_ENTRIES.allowed },
  registered: { text: 'Registered itself', types: CLIENT_ENTRIES.registered },
}

interface ClientsPageOptions {
  readonly site: Site
  readonly clients: AuthorizationServer['clients']
  readonly trail: TrailReader
  readonly commands: CommandNames
  /** Whether registration needs an initial access token. */
  readonly registersWithToken: boolean
}

/** The clients in the audit trail, and a search by id. Only the commands list all clients. */
export function clientsPage(options: ClientsPageOptions): Show {
  const { site, clients, trail, commands, registersWithToken } = options
  const path = `${site.basePath}/admin/clients`
  return async (c, visit) => {
    const filter = { kind: parameter(c, 'kind'), range: rangeNamed(parameter(c, 'range')) }
    const after = parameter(c, 'after')
    const found = await recentClients(trail, clients, queryOf(filter), after)
    const main = html`
<div class="filters">
${filterForm(`${site.basePath}/admin/client`, [textField({ name: 'id', label: 'Client id, or the address of its document', value: undefined })])}
${filterForm(path, fieldsOf(filter), 'Filter')}
</div>
${found.clients.length === 0 ? html`<p>The trail has no such client.</p>` : clientTable(site, found.clients)}
${pageLinks(path, { ...filter, after }, found.next)}
<p class="hint">The clients in the audit trail, as far back as it goes. Every client: <code>${commands.clients} list</code> and <code>${commands.integrations}</code>.</p>
${registersWithToken ? html`<p><a href="${site.basePath}${INITIAL_TOKENS_PATH}">Initial access tokens</a>, with which clients register themselves</p>` : ''}`
    return adminPage(site, visit, { title: 'Clients', section: '/clients', main })
  }
}

interface Filter {
  readonly kind: string | undefined
  readonly range: RangeName | undefined
}

function queryOf({ kind = '', range }: Filter) {
  const chosen = Object.hasOwn(KINDS, kind) ? KINDS[kind]?.types : undefined
  return {
    types: chosen ?? Object.values(KINDS).flatMap(({ types }) => types),
    since: sinceOf(range),
  }
}

function fieldsOf({ kind, range }: Filter): Markup[] {
  const choices = Object.entries(KINDS).map(([value, { text }]) => ({ value, text }))
  return [
    choiceField({ name: 'kind', label: 'Latest event', value: kind }, 'Any', choices),
    rangeField(range),
  ]
}

const ORIGINS: Readonly<Record<PublicClient['origin'], string>> = {
  registered: 'registered itself',
  integration: 'added by an operator',
  document: 'described by a document',
}

function clientTable({ basePath }: Site, clients: readonly RecentClient[]): Markup {
  const link = ({ client: { clientId: id, clientName } }: RecentClient) =>
    html`<a href="${addressOf(`${basePath}/admin/client`, { id })}"><bdi>${clientName ?? 'Without a name'}</bdi></a>`
  return table(
    'Clients',
    [
      { head: 'Client', cell: link },
      { head: 'Id', cell: ({ client }) => html`<code>${client.clientId}</code>` },
      { head: 'Origin', cell: ({ client }) => ORIGINS[client.origin] },
      { head: 'Latest event', cell: ({ type }) => html`<span title="${type}">${eventWords(type)}</span>` },
      { head: 'When', cell: ({ at }) => exactMoment(at) },
      { head: 'Audit trail', cell: ({ client }) => entriesOf(basePath, client) },
    ],
    clients,
  )
}

function entriesOf(basePath: string, { clientId }: PublicClient): Markup {
  return html`<a href="${addressOf(`${basePath}/admin/trail`, { client: clientId })}">Entries</a>`
}

export interface InitialTokensPageOptions {
  readonly site: Site
  readonly clients: AuthorizationServer['clients']
  readonly trail: TrailReader
  readonly commands: CommandNames
  /** Whether registration needs a token. Without it the page does not exist. */
  readonly registersWithToken: boolean
}

export const INITIAL_TOKENS_PATH = '/admin/initial-access-tokens'

/** The initial access tokens: those that are valid, and the forms that make and end one. */
export function initialTokensPage(options: InitialTokensPageOptions, visits: OperatorVisits) {
  const show = showTokens(options)
  return {
    show: visits.page(show),
    change: visits.form(show, async (c, visit, fields) => {
      if (!options.registersWithToken) return c.notFound()
      const { problem, card } = await actionOf(options.clients, fields)
      if (problem !== undefined) return show(c, visit, problem)
      // A redirect would carry the token in an address.
      if (card !== undefined) return showTokens(options, card)(c, visit)
      return seeOther(c, `${options.site.basePath}${INITIAL_TOKENS_PATH}`)
    }),
  }
}

/** @param news what a form has just done */
function showTokens(options: InitialTokensPageOptions, news: Markup = html``): Show {
  const { site, clients, trail, commands, registersWithToken } = options
  return async (c, visit, problem) => {
    if (!registersWithToken) return c.notFound()
    const after = parameter(c, 'after')
    const { tokens, next } = await recentInitialTokens(trail, clients, after)
    const main = html`
<p>A client needs one of these tokens to register itself. Clients that have registered stay when their token ends.</p>
${news}
${tokens.length === 0 ? html`<p>There is no such token.</p>` : tokenTable(tokens, visit)}
${pageLinks(`${site.basePath}${INITIAL_TOKENS_PATH}`, { after }, next)}
<p class="hint">The tokens in the audit trail, as far back as it goes. <code>${commands.clients} remove-token</code> ends an older one by its id.</p>
${newTokenForm(visit)}
${signInAgain(site, c, visit)}`
    return adminPage(site, visit, { title: 'Initial access tokens', section: '/clients', main, problem })
  }
}

function tokenTable(tokens: readonly FoundInitialAccessToken[], visit: OperatorVisit): Markup {
  const end = ({ id, label }: FoundInitialAccessToken) =>
    buttonForm(
      { action: 'remove', id },
      html`<button class="danger">End<span class="unseen"> the token for ${label}</span></button>`,
      visit,
    )
  return table(
    'Initial access tokens',
    [
      { head: 'For', cell: ({ label }) => html`<bdi>${label}</bdi>` },
      { head: 'Id', cell: ({ id }) => html`<code>${id}</code>` },
      { head: 'Clients left', cell: ({ uses }) => (uses === 0 ? 'used up' : String(uses)), numeric: true },
      { head: 'Scopes', cell: ({ scopes }) => (scopes === undefined ? 'every one' : scopes.join(', ')) },
      { head: 'Ends', cell: ({ expiresAt }) => momentOf(expiresAt) },
      ...(visit.token === undefined ? [] : [{ head: 'Change', cell: end }]),
    ],
    tokens,
  )
}

interface Action {
  readonly problem?: string
  readonly card?: Markup
}

/** Does what a form of the page asks for. */
async function actionOf(
  clients: InitialTokensPageOptions['clients'],
  fields: Readonly<Record<string, string>>,
): Promise<Action> {
  switch (fields.action) {
    case 'add':
      return add(clients, fields)
    case 'remove':
      await clients.removeInitialAccessToken(fields.id ?? '')
      return {}
    default:
      return { problem: 'This form is unknown. Nothing was changed.' }
  }
}

async function add(
  clients: InitialTokensPageOptions['clients'],
  { label = '', uses, days, scopes = '' }: Readonly<Record<string, string>>,
): Promise<Action> {
  const named = scopes.split(/\s+/).filter((scope) => scope !== '')
  try {
    const token = await clients.addInitialAccessToken({
      label: label.trim(),
      uses: Number(uses),
      expiresIn: Number(days) * DAY_SECONDS,
      scopes: named.length === 0 ? undefined : named,
    })
    return { card: newTokenCard(token) }
  } catch (error) {
    // A store that cannot be reached is no mistake of the operator.
    if (error instanceof OAuthError && error.status < 500)
      return { problem: `${error.message}. No token was made.` }
    throw error
  }
}

/** The form that makes an initial access token. Without a token of the page an operator does not see it. */
function newTokenForm({ token }: OperatorVisit): Markup {
  if (token === undefined) return html``
  return html`
<h2 class="part">New token</h2>
<form method="post" class="card">
  <input type="hidden" name="token" value="${token}">
  <input type="hidden" name="action" value="add">
  <label for="label">For whom it is</label>
  <input id="label" name="label" maxlength="60" required>
  <label for="uses">How many clients may register with it</label>
  <input id="uses" name="uses" type="number" min="1" max="10000" value="1" required>
  <label for="days">Days that it is valid</label>
  <input id="days" name="days" type="number" min="1" max="366" value="1" required>
  <label for="scopes">Scopes, one in a line</label>
  <p class="hint">All that its clients may ever request. Without a line they may request every scope but <code>admin:read</code> and <code>admin:write</code>.</p>
  <textarea id="scopes" name="scopes" rows="3"></textarea>
  <div class="actions"><button class="primary">Make a token</button></div>
</form>`
}

/** Shown once: only its hash is kept. */
function newTokenCard({ token, expiresAt }: InitialAccessToken): Markup {
  return html`
<section class="card" aria-label="New token">
  <p>The token is shown this once. It ends ${momentOf(expiresAt)}.</p>
  <p><code>${token}</code></p>
</section>`
}
