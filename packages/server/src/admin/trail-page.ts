import { html } from '@grantkit/pages'
import type { Context } from 'hono'
import type { AccountDirectory } from '../accounts/account-directory.ts'
import { type AuditEntry, KEPT_TYPES } from '../audit/entry.ts'
import type { AuditQuery, TrailReader } from '../audit/reading.ts'
import type { CommandNames } from '../config/command-names.ts'
import type { Markup } from '../http/page.ts'
import { rangeNamed, sinceOf } from '../operator/overview.ts'
import {
  adminPage,
  type Column,
  choiceField,
  exactMoment,
  facts as factList,
  filterForm,
  pageLinks,
  parameter,
  rangeField,
  type Show,
  table,
  textField,
} from './admin-page.ts'
import { accountOfActor, clientOfActor, type NameSources, type Names, namesIn, subjectOf } from './names.ts'
import { eventWords, factWords, reasonWords } from './words.ts'

const SHOWN = 50

export interface TrailPageOptions extends NameSources {
  readonly directory: Pick<AccountDirectory, 'find' | 'withEmail'>
  readonly trail: TrailReader
  readonly commands: CommandNames
}

/** The audit trail, the newest entries first. */
export function trailPage(options: TrailPageOptions): Show {
  const { site, trail, commands } = options
  const path = `${site.basePath}/admin/trail`
  return async (c, visit) => {
    const filter = filterOf(c)
    const after = parameter(c, 'after')
    const { entries, next } = await trail.page(await queryOf(filter, options), SHOWN, after)
    const main = html`
${filterForm(path, fieldsOf(filter))}
${await trailTable(options, entries)}
${pageLinks(path, { ...filter, after }, next)}
<p class="hint">All of it as JSON lines: <code>${commands.trail} export</code>.</p>`
    return adminPage(site, visit, { title: 'Audit trail', section: '/trail', main })
  }
}

type Filter = Readonly<Record<'range' | 'type' | 'user' | 'client', string | undefined>>

function filterOf(c: Context): Filter {
  return {
    range: rangeNamed(parameter(c, 'range')),
    type: parameter(c, 'type'),
    user: parameter(c, 'user'),
    client: parameter(c, 'client'),
  }
}

async function queryOf(
  { range, type, user, client }: Filter,
  { directory }: TrailPageOptions,
): Promise<AuditQuery> {
  return {
    types: type === undefined ? undefined : [type],
    subject: await subjectOf(directory, user),
    clientId: client,
    since: sinceOf(rangeNamed(range)),
  }
}

function fieldsOf({ range, type, user, client }: Filter): Markup[] {
  const types = KEPT_TYPES.map((value) => ({ value, text: eventWords(value) }))
  return [
    rangeField(range),
    choiceField(
      { name: 'type', label: 'What', value: type },
      'Everything',
      types.sort((one, other) => (one.text < other.text ? -1 : 1)),
    ),
    textField({ name: 'user', label: 'User, by e-mail address or id', value: user }),
    textField({ name: 'client', label: 'Client, by id', value: client }),
  ]
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
