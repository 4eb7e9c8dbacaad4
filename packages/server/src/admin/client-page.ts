import type { PublicClient } from '@grantkit/core'
import { KNOWN_CLIENTS } from '@grantkit/core/known-clients'
import { html } from '@grantkit/pages'
import type { TrailReader } from '../audit/trail-reader.ts'
import type { CommandNames } from '../command-names.ts'
import { seeOther } from '../http/bodies-and-answers.ts'
import type { Markup } from '../pages/page.ts'
import { addressOf, adminPage, buttonForm, facts, parameter, signInAgain } from './admin-page.ts'
import type { NameSources } from './names.ts'
import type { OperatorActions } from './operator-actions.ts'
import type { OperatorVisit, OperatorVisits, Show } from './operator-visits.ts'
import { momentOf } from './times.ts'
import { trailTable } from './trail-table.ts'

export interface ClientPageOptions extends NameSources {
  readonly trail: TrailReader
  readonly actions: Pick<OperatorActions, 'removeClient'>
  readonly commands: CommandNames
}

const SHOWN_ENTRIES = 10

/** A client: its metadata, its entries in the trail, and the form that removes it. */
export function clientPage(options: ClientPageOptions, visits: OperatorVisits) {
  const { site, actions } = options
  const show = showClient(options)
  return {
    show: visits.page(show),
    remove: visits.form(show, async (c) => {
      const id = parameter(c, 'id') ?? ''
      await actions.removeClient(id)
      return seeOther(c, addressOf(`${site.basePath}/admin/client`, { id }))
    }),
  }
}

function showClient(options: ClientPageOptions): Show {
  const { site, clients, trail, commands } = options
  return async (c, visit, problem) => {
    const id = parameter(c, 'id') ?? ''
    const client = await clients.find(id)
    const { entries } = await trail.page({ clientId: id }, SHOWN_ENTRIES)
    const main = html`
${client === undefined ? gone(commands) : clientCard(client, visit)}
${signInAgain(site, c, visit)}
<h2 class="part">In the audit trail</h2>
${await trailTable(options, entries)}
<p><a href="${addressOf(`${site.basePath}/admin/trail`, { client: id })}">All entries of this client</a></p>`
    const status = problem === undefined && client === undefined ? 404 : undefined
    const title = client === undefined ? 'Unknown client' : (client.clientName ?? 'Client without a name')
    return adminPage(site, visit, { title, section: '/clients', main, problem, ...(status && { status }) })
  }
}

const gone = ({ clients }: CommandNames) => html`
<p>No client has this id. If it was removed a moment ago, its grants end one after another: the entry <code>client_removed</code> says that all have. Without that entry, <code>${clients} remove</code> with its id finishes it.</p>`

const ORIGIN_HINTS: Readonly<Record<PublicClient['origin'], string>> = {
  registered: 'It registered itself, so its name is only a claim.',
  integration: 'An integration: an operator added it.',
  document: 'A document describes it, and the host of the document is verified.',
}

function clientCard(client: PublicClient, visit: OperatorVisit): Markup {
  const { clientId, origin, redirectUris, scopes, createdAt, expiresAt } = client
  const methods = [client.tokenEndpointAuthMethod, ...(client.otherAuthMethods ?? [])]
  return html`
<section class="card" aria-label="Client">
  <p class="hint">${ORIGIN_HINTS[origin]}</p>
  ${facts([
    ['Id', html`<code>${clientId}</code>`],
    ...knownClientFact(client),
    ['Redirects to', html`${redirectUris.map((uri) => html`<div><code>${uri}</code></div>`)}`],
    ['Scopes', scopes === undefined ? 'every one' : scopes.join(', ')],
    ['Authenticates by', methods.join(' or ')],
    ['May', mayOf(client)],
    ['Registered', momentOf(createdAt)],
    ['Kept until', origin === 'integration' ? 'it is removed' : momentOf(expiresAt)],
  ])}
  ${buttonForm({}, html`<button class="danger">Remove, and end all its grants</button>`, visit)}
</section>`
}

/** The mark permits nothing: a client with it may have loopback addresses too, and any program can have those. */
function knownClientFact({ knownClient: id }: PublicClient): [name: string, value: Markup][] {
  if (id === undefined) return []
  const name = KNOWN_CLIENTS.find((entry) => entry.id === id)?.name ?? id
  return [['Known client', html`${name} (<code>${id}</code>). Only its https addresses are verified.`]]
}

function mayOf({ applicationType, resourceServer, rememberConsent, pkceOptional }: PublicClient): string {
  return [
    `be a ${applicationType} application`,
    ...(resourceServer ? ['introspect every token'] : []),
    ...(pkceOptional ? ['leave out PKCE'] : []),
    ...(rememberConsent ? ['skip a consent that was given before'] : []),
  ].join(', ')
}
