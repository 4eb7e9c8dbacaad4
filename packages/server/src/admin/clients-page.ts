import {
  type FoundInitialAccessToken,
  type InitialAccessToken,
  OAuthError,
  type PublicClient,
} from '@grantkit/core'
import { html } from '@grantkit/pages'
import { DAY_SECONDS } from '../config/time-units.ts'
import { eventWords } from '../events.ts'
import type { Markup, Site } from '../http/page.ts'
import { INITIAL_TOKEN_MEMBERS } from '../operator/client-members.ts'
import { CLIENT_ENTRIES, type OperatorClients, type RecentClient } from '../operator/clients.ts'
import { type RangeName, rangeNamed, sinceOf } from '../operator/overview.ts'
import {
  type AdminOptions,
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
  table,
  textField,
  toSignInAgain,
} from './admin-page.ts'
import { form_unknown, linesOf, memberField, outcomeOf } from './client-page.ts'

const ENTRY_WORDS: Readonly<Record<keyof typeof CLIENT_ENTRIES, string>> = {
  added: 'Added by an operator',
  allowed: 'Approved by a user',
  registered: 'Registered itself',
}

/** The clients in the audit trail, and a search by id. Only the commands list all clients. */
export function clientsPage(options: AdminOptions): Show {
  const { site, operator, program, registersWithToken } = options
  const path = `${site.basePath}/admin/clients`
  return async (c, visit) => {
    const filter = { kind: parameter(c, 'kind'), range: rangeNamed(parameter(c, 'range')) }
    const after = parameter(c, 'after')
    const found = await operator.clients.recent(
      { entries: entriesNamed(filter.kind), since: sinceOf(filter.range) },
      after,
    )
    const main = html`
<div class="filters">
${filterForm(`${site.basePath}/admin/client`, [textField({ name: 'id', label: 'Client id, or the address of its document', value: undefined })])}
${filterForm(path, fieldsOf(filter), 'Filter')}
</div>
${found.items.length === 0 ? html`<p>The trail has no such client.</p>` : clientTable(site, found.items)}
${pageLinks(path, { ...filter, after }, found.next)}
<p class="hint">The clients in the audit trail, as far back as it goes. Every client: <code>${program} clients list</code>.</p>
${registersWithToken ? html`<p><a href="${site.basePath}${INITIAL_TOKENS_PATH}">Initial access tokens</a>, with which clients register themselves</p>` : ''}`
    const hasTimes = found.items.length > 0
    return adminPage(site, visit, { title: 'Clients', section: '/clients', main, hasTimes })
  }
}

interface Filter {
  readonly kind: string | undefined
  readonly range: RangeName | undefined
}

function entriesNamed(kind = ''): keyof typeof CLIENT_ENTRIES | undefined {
  return Object.hasOwn(CLIENT_ENTRIES, kind) ? (kind as keyof typeof CLIENT_ENTRIES) : undefined
}

function fieldsOf({ kind, range }: Filter): Markup[] {
  const choices = Object.entries(ENTRY_WORDS).map(([value, text]) => ({ value, text }))
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

export const INITIAL_TOKENS_PATH = '/admin/initial-access-tokens'

/** The initial access tokens: those that are valid, and the forms that make and end one. */
export function initialTokensPage(options: AdminOptions, visits: OperatorVisits) {
  const show = showTokens(options)
  return {
    show: visits.page(show),
    change: visits.form(show, async (c, visit, fields) => {
      if (!options.registersWithToken) return c.notFound()
      const { problem, done } = await outcomeOf(
        tokenAction(options.operator.clients, fields),
        'No token was made.',
      )
      if (problem !== undefined) return show(c, visit, problem)
      // A redirect would carry the token in an address.
      return typeof done === 'object' ? showTokens(options, newTokenCard(done))(c, visit) : done
    }),
  }
}

/** @param news what a form has just done */
function showTokens(options: AdminOptions, news?: Markup): Show {
  const { site, operator, program, registersWithToken } = options
  return async (c, visit, problem) => {
    if (!registersWithToken) return c.notFound()
    const after = parameter(c, 'after')
    const { items: tokens, next } = await operator.clients.recentInitialTokens(after)
    const main = html`
<p>A client needs one of these tokens to register itself. Clients that have registered stay when their token ends.</p>
${news ?? ''}
${tokens.length === 0 ? html`<p>There is no such token.</p>` : tokenTable(tokens, visit)}
${pageLinks(`${site.basePath}${INITIAL_TOKENS_PATH}`, { after }, next)}
<p class="hint">The tokens in the audit trail, as far back as it goes. <code>${program} clients remove-token</code> ends an older one by its id.</p>
${newTokenForm(visit)}
${toSignInAgain(site, c, visit)}`
    const hasTimes = tokens.length > 0 || news !== undefined
    return adminPage(site, visit, {
      title: 'Initial access tokens',
      section: '/clients',
      ...{ main, hasTimes, problem },
    })
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

/** Does what a form of the page asks for. */
async function tokenAction(
  clients: OperatorClients,
  { action, id = '', label = '', uses, expires_in: days, scopes }: Readonly<Record<string, string>>,
): Promise<InitialAccessToken | string> {
  switch (action) {
    case 'add': {
      const limited = linesOf(scopes)
      return clients.addInitialToken({
        label: label.trim(),
        uses: Number(uses),
        expires_in: Number(days) * DAY_SECONDS,
        ...(limited.length > 0 && { scopes: limited }),
      })
    }
    case 'remove':
      await clients.removeInitialToken(id)
      return 'The token has ended.'
    default:
      throw new OAuthError(form_unknown)
  }
}

const ALL_SCOPES = html`All that its clients may ever request. Without a line they may request every scope but <code>admin:read</code> and <code>admin:write</code>.`

/** The form that makes an initial access token. Without a token of the page an operator does not see it. */
function newTokenForm({ token }: OperatorVisit): Markup {
  if (token === undefined) return html``
  return html`
<h2 class="part">New token</h2>
<form method="post" class="card">
  <input type="hidden" name="token" value="${token}">
  <input type="hidden" name="action" value="add">
  ${['label', 'uses', 'expires_in'].map((name) => memberField(INITIAL_TOKEN_MEMBERS, name, { required: true }))}
  ${memberField(INITIAL_TOKEN_MEMBERS, 'scopes', { hint: ALL_SCOPES })}
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
