import { setTimeout as sleep } from 'node:timers/promises'
import type { AuthorizationServer, PublicClient } from '@grantkit/core'
import { html } from '@grantkit/pages'
import type { TrailReader } from '../audit/trail-reader.ts'
import { seeOther } from '../http/bodies-and-answers.ts'
import { type Markup, pointInTime, type Site } from '../pages/page.ts'
import { addressOf, adminPage, buttonForm, facts, parameter, signInAgain } from './admin-page.ts'
import type { OperatorVisit, OperatorVisits, Show } from './operator-visits.ts'
import { trailEntries } from './trail-entries.ts'

export interface ClientPageOptions {
  readonly site: Site
  readonly clients: Pick<AuthorizationServer['clients'], 'find' | 'remove'>
  readonly trail: TrailReader
  readonly onError: (error: unknown) => void
}

/** Milliseconds. A removal with few grants is done by then; with many, the response is sent before it is done. */
const PATIENCE = 2000
const SHOWN_ENTRIES = 10

/** A client: its metadata, its entries in the trail, and the form that removes it. */
export function clientPage(options: ClientPageOptions, visits: OperatorVisits) {
  const { site } = options
  const remove = removal(options)
  const show = showClient(options)
  return {
    show: visits.page(show),
    remove: visits.form(show, async (c) => {
      const id = parameter(c, 'id') ?? ''
      await remove(id)
      return seeOther(c, addressOf(`${site.basePath}/admin/client`, { id }))
    }),
  }
}

/**
 * A removal reads every grant, so no request waits for all of it. The client itself is removed first: from then on none
 * of its codes and tokens can be exchanged or refreshed.
 */
function removal({ clients, onError }: ClientPageOptions): (id: string) => Promise<void> {
  const pending = new Map<string, Promise<unknown>>()
  return async (id) => {
    const removed = pending.get(id) ?? clients.remove(id).finally(() => pending.delete(id))
    pending.set(id, removed)
    let answered = false
    removed.catch((error) => answered && onError(error))
    await Promise.race([removed, sleep(PATIENCE, undefined, { ref: false })])
    answered = true
  }
}

function showClient({ site, clients, trail }: ClientPageOptions): Show {
  return async (c, visit, problem) => {
    const id = parameter(c, 'id') ?? ''
    const client = await clients.find(id)
    const { entries } = await trail.page({ clientId: id }, SHOWN_ENTRIES)
    const main = html`
${client === undefined ? GONE : clientCard(client, visit)}
${signInAgain(site, c, visit)}
<h2 class="part">In the trail</h2>
${trailEntries(site, entries)}
<p><a href="${addressOf(`${site.basePath}/admin/trail`, { client: id })}">All entries of this client</a></p>`
    const status = problem === undefined && client === undefined ? 404 : undefined
    const title = client === undefined ? 'Unknown client' : (client.clientName ?? 'Client without a name')
    return adminPage(site, { title, main, problem, ...(status && { status }) })
  }
}

const GONE = html`
<p>No client has this id. If it was removed a moment ago, its grants end one after another: the entry <code>client_removed</code> says that all have. Without that entry, <code>pnpm clients remove</code> with its id finishes it.</p>`

const ORIGINS: Readonly<Record<PublicClient['origin'], string>> = {
  registered: 'It registered itself, so its name is only a claim.',
  integration: 'An integration: an operator added it.',
  document: 'A document describes it, and the host of the document is verified.',
}

function clientCard(client: PublicClient, visit: OperatorVisit): Markup {
  const { clientId, origin, redirectUris, scopes, createdAt, expiresAt } = client
  const methods = [client.tokenEndpointAuthMethod, ...(client.otherAuthMethods ?? [])]
  return html`
<section class="card" aria-label="Client">
  <p class="hint">${ORIGINS[origin]}</p>
  ${facts([
    ['Id', html`<code>${clientId}</code>`],
    ['Redirects to', html`${redirectUris.map((uri) => html`<div><code>${uri}</code></div>`)}`],
    ['Scopes', scopes === undefined ? 'every one' : scopes.join(', ')],
    ['Authenticates by', methods.join(' or ')],
    ['May', mayOf(client)],
    ['Registered', pointInTime(createdAt)],
    ['Kept until', origin === 'integration' ? 'it is removed' : pointInTime(expiresAt)],
  ])}
  ${buttonForm({}, html`<button class="danger">Remove, and end all its grants</button>`, visit)}
</section>`
}

function mayOf({ applicationType, resourceServer, rememberConsent, pkceOptional }: PublicClient): string {
  return [
    `be a ${applicationType} application`,
    ...(resourceServer ? ['introspect every token'] : []),
    ...(pkceOptional ? ['leave out PKCE'] : []),
    ...(rememberConsent ? ['skip a consent that was given before'] : []),
  ].join(', ')
}
