import { html } from '@grantkit/pages'
import type { AuditEntry } from '../audit/entry.ts'
import { type Markup, pointInTime, type Site } from '../pages/page.ts'
import { addressOf } from './admin-page.ts'

/** Entries of the audit trail, each with links to its user and its client. */
export function trailEntries(site: Site, entries: readonly AuditEntry[]): Markup {
  if (entries.length === 0) return html`<p>There is nothing of that kind.</p>`
  return html`
<section class="card" aria-label="Entries">
  <ul class="entries">${entries.map((entry) => entryItem(site, entry))}</ul>
</section>`
}

function entryItem({ basePath }: Site, { id: _, at, type, subject, clientId, ...facts }: AuditEntry): Markup {
  const user = addressOf(`${basePath}/admin/user`, { id: subject })
  const client = addressOf(`${basePath}/admin/client`, { id: clientId })
  return html`
<li>
  <strong>${type}</strong> <span class="hint">${pointInTime(Date.parse(at) / 1000)}</span>
  ${subject === undefined ? '' : html`<div>user <a href="${user}">${subject}</a></div>`}
  ${clientId === undefined ? '' : html`<div>client <a href="${client}">${clientId}</a></div>`}
  <div class="hint">${shownFacts(facts).map((fact, index) => html`${index === 0 ? '' : ' · '}${fact}`)}</div>
</li>`
}

/** Without empty lists. */
function shownFacts(facts: object): Markup[] {
  return Object.entries(facts)
    .map(([name, value]) => [name, textOf(value)] as const)
    .filter(([, text]) => text !== '')
    .map(([name, text]) => html`${name} <code>${text}</code>`)
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join(' ')
  return typeof value === 'string' ? value : JSON.stringify(value)
}
