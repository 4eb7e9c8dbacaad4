import type { PublicClient } from '@grantkit/core'
import { PERSONAL_CLIENT_ID } from '@grantkit/core/personal-tokens'
import { KNOWN_CLIENTS } from '@grantkit/known-clients'
import { html } from '@grantkit/pages'
import type { TrailReader } from '../audit/trail-reader.ts'
import type { CommandNames } from '../command-names.ts'
import { seeOther } from '../http/bodies-and-answers.ts'
import type { Markup } from '../http/page.ts'
import { addressOf, adminPage, buttonForm, facts, parameter, signInAgain } from './admin-page.ts'
import { type ClientActionsOptions, clientAction } from './client-actions.ts'
import { newSecretCard, secretForms, updateForm } from './client-forms.ts'
import type { NameSources } from './names.ts'
import type { OperatorVisit, OperatorVisits, Show } from './operator-visits.ts'
import { momentOf } from './times.ts'
import { trailTable } from './trail-table.ts'

export interface ClientPageOptions extends Omit<NameSources, 'clients'>, ClientActionsOptions {
  readonly trail: TrailReader
  readonly commands: CommandNames
}

const SHOWN_ENTRIES = 10

/** A client: its metadata, its entries in the trail, and the forms that change and remove it. */
export function clientPage(options: ClientPageOptions, visits: OperatorVisits) {
  const { site } = options
  const show = showClient(options)
  return {
    show: visits.page(show),
    change: visits.form(show, async (c, visit, fields) => {
      const id = parameter(c, 'id') ?? ''
      const { problem, rotated } = await clientAction(options, id, fields)
      if (problem !== undefined) return show(c, visit, problem)
      // A redirect would carry the secret in an address.
      if (rotated !== undefined) return showClient(options, newSecretCard(rotated))(c, visit)
      return seeOther(c, addressOf(`${site.basePath}/admin/client`, { id }))
    }),
  }
}

/** @param news what a form has just done */
function showClient(options: ClientPageOptions, news: Markup = html``): Show {
  const { site, clients, trail, commands } = options
  return async (c, visit, problem) => {
    const id = parameter(c, 'id') ?? ''
    const client = await clients.find(id)
    const { entries } = await trail.page({ clientId: id }, SHOWN_ENTRIES)
    const byToken = client?.origin === 'registered' ? await tokenFact(trail, id) : []
    const main = html`
${news}
${client === undefined ? gone(commands) : cards(client, visit, byToken)}
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

function cards(client: PublicClient, visit: OperatorVisit, byToken: readonly Fact[]): Markup {
  if (client.clientId === PERSONAL_CLIENT_ID) return PERSONAL_TOKENS
  return html`${clientCard(client, visit, byToken)}${changeForms(client, visit)}`
}

const PERSONAL_TOKENS = html`
<p>No one registered this client: it stands for the personal access tokens of all users. End one on the page of its user.</p>`

const ORIGIN_HINTS: Readonly<Record<PublicClient['origin'], string>> = {
  registered: 'It registered itself, so its name is only a claim.',
  integration: 'An integration: an operator added it.',
  document: 'A document describes it, and the host of the document is verified.',
}

function changeForms(client: PublicClient, visit: OperatorVisit): Markup {
  const hasSecret = SECRET_METHODS.includes(client.tokenEndpointAuthMethod)
  return html`${hasSecret ? secretForms(client, visit) : ''}${updateForm(client, visit)}`
}

const SECRET_METHODS = ['client_secret_post', 'client_secret_basic']

function clientCard(client: PublicClient, visit: OperatorVisit, byToken: readonly Fact[]): Markup {
  const { clientId, origin, redirectUris, createdAt, expiresAt } = client
  const methods = [client.tokenEndpointAuthMethod, ...(client.otherAuthMethods ?? [])]
  return html`
<section class="card" aria-label="Client">
  <p class="hint">${ORIGIN_HINTS[origin]}</p>
  ${facts([
    ['Id', html`<code>${clientId}</code>`],
    ...knownClientFact(client),
    ['Redirects to', html`${redirectUris.map((uri) => html`<div><code>${uri}</code></div>`)}`],
    ...scopesFacts(client),
    ['Authenticates by', methods.join(' or ')],
    ['May', mayOf(client)],
    ...limitsFact(client),
    ...sessionFacts(client),
    ['Registered', momentOf(createdAt)],
    ...byToken,
    ['Kept until', origin === 'integration' ? 'it is removed' : momentOf(expiresAt)],
  ])}
  ${buttonForm({ action: 'remove' }, html`<button class="danger">Remove, and end all its grants</button>`, visit)}
</section>`
}

/** The mark permits nothing: a client with it may have loopback addresses too, and any program can have those. */
function knownClientFact({ knownClient: id }: PublicClient): Fact[] {
  if (id === undefined) return []
  const name = KNOWN_CLIENTS.find((entry) => entry.id === id)?.name ?? id
  return [['Known client', html`${name} (<code>${id}</code>). Only its https addresses are verified.`]]
}

type Fact = readonly [name: string, value: Markup | string]

/** Only the trail has the label of the initial access token. Empty if there was none, or if the entry is gone. */
async function tokenFact(trail: TrailReader, clientId: string): Promise<readonly Fact[]> {
  const { entries } = await trail.page({ clientId, types: ['client_registered'] }, 1)
  const [entry] = entries
  if (typeof entry?.label !== 'string') return []
  return [
    ['With the token for', html`<bdi>${entry.label}</bdi>, <code>${String(entry.initialAccessToken)}</code>`],
  ]
}

/** The scopes that a client registered by itself are only its usual ones: the limit is of its initial access token. */
function scopesFacts({ origin, scopes, scopeLimit }: PublicClient): Fact[] {
  const shown = (listed: readonly string[] | undefined) =>
    listed?.join(', ') ?? 'every one but admin:read and admin:write'
  if (origin !== 'registered') return [['Scopes', shown(scopes)]]
  const usual: Fact[] = scopes === undefined ? [] : [['Usual scopes', shown(scopes)]]
  return [['Scopes', shown(scopeLimit)], ...usual]
}

/** What happens to it when a session ends. */
function sessionFacts({ backchannelLogoutUri, sessionBound }: PublicClient): Fact[] {
  const hears: Fact[] =
    typeof backchannelLogoutUri === 'string'
      ? [['Hears of ended sessions at', html`<code>${backchannelLogoutUri}</code>`]]
      : []
  const ends: Fact[] =
    sessionBound === true
      ? [['Access ends', html`with the sign-in, except with <code>offline_access</code>`]]
      : []
  return [...hears, ...ends]
}

/** Without a limit there is nothing to show. */
function limitsFact({ tokensPerMinute, grantsPerHour }: PublicClient): Fact[] {
  const limits = [
    ...(tokensPerMinute === undefined ? [] : [`${tokensPerMinute} tokens a minute`]),
    ...(grantsPerHour === undefined ? [] : [`${grantsPerHour} new grants an hour`]),
  ]
  return limits.length === 0 ? [] : [['Limits', limits.join(', ')]]
}

function mayOf({ applicationType, resourceServer, rememberConsent, ...client }: PublicClient): string {
  return [
    `be a ${applicationType} application`,
    ...(resourceServer ? ['introspect every token'] : []),
    ...(client.pkceOptional ? [client.nonceOptional ? 'leave out PKCE and nonce' : 'leave out PKCE'] : []),
    ...(rememberConsent ? ['skip a consent that was given before'] : []),
  ].join(', ')
}
