import { html } from '@grantkit/pages'
import type { Context } from 'hono'
import { KEPT_TYPES } from '../audit/kept-events.ts'
import type { TrailReader } from '../audit/trail-reader.ts'
import type { Markup, Site } from '../pages/page.ts'
import { adminPage, pageLinks, parameter } from './admin-page.ts'
import type { Show } from './operator-visits.ts'
import { trailEntries } from './trail-entries.ts'

const SHOWN = 20

/** The audit trail, the newest entries first. */
export function trailPage(site: Site, trail: TrailReader): Show {
  const path = `${site.basePath}/admin/trail`
  return async (c) => {
    const { type, user, client } = filterOf(c)
    const query = { types: type === undefined ? undefined : [type], subject: user, clientId: client }
    const after = parameter(c, 'after')
    const { entries, next } = await trail.page(query, SHOWN, after)
    const main = html`
${filterForm(path, filterOf(c))}
${trailEntries(site, entries)}
${pageLinks(path, { type, user, client, after }, next)}
<p class="hint">All of it, with times and as JSON lines: <code>pnpm trail export</code>.</p>`
    return adminPage(site, { title: 'Audit trail', main })
  }
}

type Filter = Readonly<Record<'type' | 'user' | 'client', string | undefined>>

function filterOf(c: Context): Filter {
  return { type: parameter(c, 'type'), user: parameter(c, 'user'), client: parameter(c, 'client') }
}

function filterForm(path: string, { type, user, client }: Filter): Markup {
  const option = (kept: string) => html`<option${kept === type ? html` selected` : ''}>${kept}</option>`
  return html`
<form method="get" action="${path}" class="card">
  <label for="type">Type</label>
  <select id="type" name="type"><option value="">all</option>${KEPT_TYPES.map(option)}</select>
  <label for="user">User, by id</label>
  <input id="user" name="user" value="${user ?? ''}">
  <label for="client">Client, by id</label>
  <input id="client" name="client" value="${client ?? ''}">
  <button class="primary">Show</button>
</form>`
}
