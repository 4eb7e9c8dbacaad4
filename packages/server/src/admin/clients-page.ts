import type { AuthorizationServer, PublicClient } from '@grantkit/core'
import { html } from '@grantkit/pages'
import type { TrailReader } from '../audit/trail-reader.ts'
import type { CommandNames } from '../command-names.ts'
import type { Markup, Site } from '../http/page.ts'
import { CLIENT_ENTRIES, type RecentClient, recentClients } from '../operator/recent-clients.ts'
import { type RangeName, rangeNamed, sinceOf } from '../operator/time-range.ts'
import { addressOf, adminPage, pageLinks, parameter } from './admin-page.ts'
import { choiceField, filterForm, rangeField, textField } from './filter-form.ts'
import { INITIAL_TOKENS_PATH } from './initial-tokens-page.ts'
import type { Show } from './operator-visits.ts'
import { table } from './table.ts'
import { exactMoment } from './times.ts'
import { eventWords } from './words.ts'

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
