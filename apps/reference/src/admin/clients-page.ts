import type { AuthorizationServer } from '@grantkit/core'
import { html } from '@grantkit/pages'
import type { TrailReader } from '../audit/trail-reader.ts'
import { type Markup, pointInTime, type Site } from '../pages/page.ts'
import { addressOf, adminPage } from './admin-page.ts'
import type { Show } from './operator-visits.ts'
import { type RecentClient, recentClients } from './recent-clients.ts'

const SHOWN = 20

/** The clients in the audit trail, and a search by id. Only the commands list all clients. */
export function clientsPage(site: Site, clients: AuthorizationServer['clients'], trail: TrailReader): Show {
  const recent = (...types: string[]) => recentClients(trail, clients, types, SHOWN)
  return async () => {
    const [integrations, registered, allowed] = await Promise.all([
      // Entries of earlier releases use the second name.
      recent('client_added', 'integration_added'),
      recent('client_registered'),
      recent('consent_granted'),
    ])
    const main = html`
<form method="get" action="${site.basePath}/admin/client" class="card">
  <label for="id">Client id, or the address of its document</label>
  <input id="id" name="id" required>
  <button class="primary">Show</button>
</form>
${section(site, 'Integrations', 'added', integrations)}
<p class="hint">As far back as the trail goes, ${SHOWN} at most. Every one of them: <code>pnpm integration list</code>.</p>
${section(site, 'Allowed lately', 'allowed', allowed)}
${section(site, 'Registered lately', 'registered', registered)}
<p class="hint">Of those that nobody has allowed yet, the trail keeps a few a minute. Every client: <code>pnpm clients list</code>.</p>`
    return adminPage(site, { title: 'Clients', main })
  }
}

function section(site: Site, title: string, done: string, clients: readonly RecentClient[]): Markup {
  const items = clients.map(
    ({ clientId, at, client }) => html`
<li>
  <a href="${addressOf(`${site.basePath}/admin/client`, { id: clientId })}"><bdi>${client.clientName ?? 'Without a name'}</bdi></a>
  <div class="hint"><code>${clientId}</code>, ${done} ${pointInTime(at)}</div>
</li>`,
  )
  return html`
<h2 class="part">${title}</h2>
${clients.length === 0 ? html`<p>None.</p>` : html`<section class="card" aria-label="${title}"><ul class="entries">${items}</ul></section>`}`
}
