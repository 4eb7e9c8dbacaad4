import { html } from '@grantkit/pages'
import type { AuditEntry } from '../audit/reading.ts'
import { eventWords, KEPT_TYPES } from '../events.ts'
import type { Markup } from '../http/page.ts'
import {
  type AdminOptions,
  adminPage,
  type Column,
  choiceField,
  exactMoment,
  facts as factList,
  filterFields,
  filterForm,
  filterOf,
  pageLinks,
  parameter,
  queryOf,
  type Show,
  table,
} from './admin-page.ts'
import { accountOfActor, clientOfActor, type NameSources, type Names, namesIn } from './names.ts'
import { factWords, reasonWords } from './words.ts'

const SHOWN = 50

/** The audit trail, the newest entries first. */
export function trailPage(options: AdminOptions): Show {
  const { site, trail, program } = options
  const path = `${site.basePath}/admin/trail`
  return async (c, visit) => {
    const filter = filterOf(c)
    const [type, after] = [parameter(c, 'type'), parameter(c, 'after')]
    const query = { ...(await queryOf(options, filter)), types: type === undefined ? undefined : [type] }
    const { items: entries, next } = await trail.page(query, SHOWN, after)
    const main = html`
${filterForm(path, filterFields(filter, typeField(type)))}
${await trailTable(options, entries)}
${pageLinks(path, { ...filter, type, after }, next)}
<p class="hint">All of it as JSON lines: <code>${program} trail export</code>.</p>`
    const hasTimes = entries.length > 0
    return adminPage(site, visit, { title: 'Audit trail', section: '/trail', main, hasTimes })
  }
}

function typeField(type: string | undefined): Markup {
  const types = KEPT_TYPES.map((value) => ({ value, text: eventWords(value) }))
  const sorted = types.sort((one, other) => (one.text < other.text ? -1 : 1))
  return choiceField({ name: 'type', label: 'What', value: type }, 'Everything', sorted)
}

/** Entries of the audit trail, each with links to its user and its client. */
export async function trailTable(sources: NameSources, entries: readonly AuditEntry[]): Promise<Markup> {
  if (entries.length === 0) return html`<p>There is nothing of that kind.</p>`
  return table('Entries', columnsOf(await namesIn(sources, entries)), entries)
}

function columnsOf(names: Names): Column<AuditEntry>[] {
  return [
    { head: 'When', cell: ({ at }) => exactMoment(at) },
    { head: 'What', cell: eventOf },
    { head: 'User', cell: ({ subject }) => (subject === undefined ? '' : names.user(subject)) },
    { head: 'Client', cell: ({ clientId }) => (clientId === undefined ? '' : names.client(clientId)) },
    { head: 'By', cell: (entry) => callerOf(entry, names) },
    { head: 'Details', cell: detailsOf },
  ]
}

function eventOf({ type, reason, count }: AuditEntry): Markup {
  const times = typeof count === 'number' && count > 1 ? ` (${count} times)` : ''
  const why =
    typeof reason === 'string' ? html`<div class="hint" title="${reason}">${reasonWords(reason)}</div>` : ''
  return html`<span title="${type}">${eventWords(type)}${times}</span>${why}`
}

/** The operator or the client of an operator, or the network of the caller. */
function callerOf({ actor, network }: AuditEntry, names: Names): Markup | string {
  const [account, client] = [accountOfActor(actor), clientOfActor(actor)]
  if (account !== undefined) return html`admin ${names.user(account)}`
  if (client !== undefined) return html`client ${names.client(client)}`
  if (typeof actor === 'string') return html`<code>${actor}</code>`
  return typeof network === 'string' ? html`<code class="short">${network}</code>` : ''
}

/** All of an entry by the names that the export of the trail has, without empty lists. */
function detailsOf({ at: _at, ...entry }: AuditEntry): Markup {
  const rows = Object.entries(entry)
    .map(([name, value]) => [name, textOf(value)] as const)
    .filter(([, text]) => text !== '')
    .map(([name, text]) => [factWords(name), html`<code>${text}</code>`] as const)
  return html`<details><summary>Details</summary>${factList(rows)}</details>`
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join(' ')
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}
