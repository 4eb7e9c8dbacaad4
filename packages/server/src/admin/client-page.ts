import { OAuthError, type PublicClient, type RotatedSecret } from '@grantkit/core'
import { defineErrors } from '@grantkit/core/feature'
import { clientRevision } from '@grantkit/core/internal'
import { PERSONAL_CLIENT_ID } from '@grantkit/core/personal-tokens'
import { KNOWN_CLIENTS } from '@grantkit/known-clients'
import { html } from '@grantkit/pages'
import type { TrailReader } from '../audit/reading.ts'
import { DAY_SECONDS } from '../config/time-units.ts'
import type { Markup } from '../http/page.ts'
import { boundsOf, CLIENT_MEMBERS, type Given, type MemberTable } from '../operator/client-members.ts'
import { isUnknown, type OperatorClients, PATIENCE } from '../operator/clients.ts'
import {
  type AdminOptions,
  addressOf,
  adminPage,
  buttonForm,
  facts,
  momentOf,
  type OperatorVisit,
  type OperatorVisits,
  parameter,
  problemOf,
  type Show,
  toSignInAgain,
} from './admin-page.ts'
import { trailTable } from './trail-page.ts'

const SHOWN_ENTRIES = 10

/** A client: its metadata, its entries in the trail, and the forms that change and remove it. */
export function clientPage(options: AdminOptions, visits: OperatorVisits) {
  const show = showClient(options)
  return {
    show: visits.page(show),
    change: visits.form(show, async (c, visit, fields) => {
      const id = parameter(c, 'id') ?? ''
      const { problem, done } = await outcomeOf(clientAction(options.operator.clients, id, fields))
      if (problem !== undefined) return show(c, visit, problem)
      // A redirect would carry the secret in an address.
      return typeof done === 'object' ? showClient(options, newSecretCard(done))(c, visit) : done
    }),
  }
}

/** @param news what a form has just done */
function showClient(options: AdminOptions, news: Markup = html``): Show {
  const { site, operator, trail, program } = options
  return async (c, visit, problem) => {
    const id = parameter(c, 'id') ?? ''
    const client = await operator.clients.find(id)
    const { items: entries } = await trail.page({ clientId: id }, SHOWN_ENTRIES)
    const byToken = client?.origin === 'registered' ? await tokenFact(trail, id) : []
    const main = html`
${news}
${client === undefined ? gone(program) : cards(client, visit, byToken)}
${toSignInAgain(site, c, visit)}
<h2 class="part">In the audit trail</h2>
${await trailTable(options, entries)}
<p><a href="${addressOf(`${site.basePath}/admin/trail`, { client: id })}">All entries of this client</a></p>`
    const status = problem === undefined && client === undefined ? 404 : undefined
    const title = client === undefined ? 'Unknown client' : (client.clientName ?? 'Client without a name')
    const hasCard = client !== undefined && id !== PERSONAL_CLIENT_ID
    const shown = { main, hasTimes: hasCard || entries.length > 0, problem }
    return adminPage(site, visit, { title, section: '/clients', ...shown, ...(status && { status }) })
  }
}

const gone = (program: string) => html`
<p>No client has this id. If it was removed a moment ago, its grants end one after another: the entry <code>client_removed</code> says that all have. Without that entry, <code>${program} clients remove</code> with its id finishes it.</p>`

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
  const { clientId, origin, createdAt, expiresAt } = client
  const methods = [client.tokenEndpointAuthMethod, ...(client.otherAuthMethods ?? [])]
  return html`
<section class="card" aria-label="Client">
  <p class="hint">${ORIGIN_HINTS[origin]}</p>
  ${facts([
    ['Id', html`<code>${clientId}</code>`],
    ...knownClientFact(client),
    ...redirectsFact(client),
    ...scopesFacts(client),
    ['Authenticates by', methods.join(' or ')],
    ...mayFact(client),
    ...limitsFact(client),
    ...sessionFacts(client),
    ['Registered', momentOf(createdAt)],
    ...byToken,
    ['Kept until', origin === 'integration' ? 'it is removed' : momentOf(expiresAt)],
  ])}
  ${removeForm(visit)}
</section>`
}

/** Two steps, because nothing brings a client back. */
function removeForm(visit: OperatorVisit): Markup {
  if (visit.token === undefined) return html``
  const button = html`<button class="danger">Remove, and end all its grants</button>`
  return html`<details><summary>Remove this client</summary>
  <p>This cannot be undone.</p>${buttonForm({ action: 'remove' }, button, visit)}</details>`
}

/** A resource server has none. */
function redirectsFact({ redirectUris }: PublicClient): Fact[] {
  const uris = redirectUris.map((uri) => html`<div><code>${uri}</code></div>`)
  return uris.length === 0 ? [] : [['Redirects to', html`${uris}`]]
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
  const {
    items: [entry],
  } = await trail.page({ clientId, types: ['client_registered'] }, 1)
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

/** Nothing depends on the application type, so it is not among them. */
function mayFact({ resourceServer, rememberConsent, ...client }: PublicClient): Fact[] {
  const may = [
    ...(resourceServer ? ['introspect every token'] : []),
    ...(client.pkceOptional ? [client.nonceOptional ? 'leave out PKCE and nonce' : 'leave out PKCE'] : []),
    ...(rememberConsent ? ['skip a consent that was given before'] : []),
  ]
  return may.length === 0 ? [] : [['May', may.join(', ')]]
}

// The forms that change a client and its secret. Without a token an operator sees none of them.

const OVERLAPS = [
  { days: 1, text: 'ends in a day' },
  { days: 7, text: 'ends in 7 days' },
  { days: 30, text: 'ends in 30 days' },
  { days: 0, text: 'ends now, because it leaked' },
]

/** The secrets of a confidential client. */
function secretForms(client: PublicClient, visit: OperatorVisit): Markup {
  const { clientSecretExpiresAt, oldSecretEndsAt = 0 } = client
  const ends =
    clientSecretExpiresAt === undefined ? 'has no end' : html`ends ${momentOf(clientSecretExpiresAt)}`
  const older = html`<p>The older secret ends ${momentOf(oldSecretEndsAt)}. The trail shows whether it is still used.</p>
  ${buttonForm({ action: 'drop_old_secret' }, html`<button class="danger">End the older secret now</button>`, visit)}`
  return html`
<h2 class="part">Secret</h2>
<p>Its newest secret ${ends}.</p>
${oldSecretEndsAt * 1000 > Date.now() ? older : rotationForm(visit)}`
}

function rotationForm(visit: OperatorVisit): Markup {
  return html`${buttonForm(
    { action: 'rotate_secret' },
    html`<label>The secret in use <select name="overlap">${OVERLAPS.map(
      ({ days, text }) => html`<option value="${String(days * DAY_SECONDS)}">${text}</option>`,
    )}</select></label> <button>Make a new secret</button>`,
    visit,
  )}`
}

/** Shown once: only its hash is kept. */
function newSecretCard({ clientSecret, oldSecretEndsAt }: RotatedSecret): Markup {
  const older = oldSecretEndsAt === undefined ? 'has ended' : html`ends ${momentOf(oldSecretEndsAt)}`
  return html`
<section class="card" aria-label="New secret">
  <p>The new secret is shown this once. The older one ${older}.</p>
  <p><code>${clientSecret}</code></p>
</section>`
}

/** The members that change most often; the others change by command or by the admin API. */
function updateForm(client: PublicClient, { token }: OperatorVisit): Markup {
  if (token === undefined || client.origin !== 'integration') return html``
  const { clientName = '', redirectUris, scopes, clientCredentialsScopes } = client
  const hint =
    scopes === undefined
      ? 'It may request every scope but admin:read and admin:write. Lines here limit it to these.'
      : 'It may request these.'
  const fields = [
    memberField(CLIENT_MEMBERS, 'client_name', { value: clientName, required: true }),
    memberField(CLIENT_MEMBERS, 'redirect_uris', { value: redirectUris }),
    ...(clientCredentialsScopes === undefined
      ? [memberField(CLIENT_MEMBERS, 'scopes', { value: scopes, hint })]
      : []),
  ]
  return html`
<h2 class="part">Change</h2>
<form method="post" class="card">
  <input type="hidden" name="token" value="${token}">
  <input type="hidden" name="action" value="update">
  <input type="hidden" name="revision" value="${clientRevision(client)}">
  ${fields}
  <div class="actions"><button>Save</button></div>
</form>`
}

interface FieldOptions {
  readonly value?: string | readonly string[] | undefined
  readonly hint?: Markup | string
  readonly required?: boolean
}

/** The field of a form for a member: a list is a text with a line for each. */
export function memberField(
  table: MemberTable,
  name: string,
  { value, hint, required }: FieldOptions = {},
): Markup {
  const { type = { is: 'text' }, label, words = name } = table[name] ?? {}
  const isList = ['list', 'uris', 'scopes'].includes(type.is)
  const shown = label ?? `${words.charAt(0).toUpperCase()}${words.slice(1)}`
  const bounds = boundsOf(type)
  const attributes = [
    ...(type.is === 'text' && type.max ? [html` maxlength="${String(type.max)}"`] : []),
    ...(bounds ? [html` type="number" min="${String(bounds.min)}" max="${String(bounds.max)}"`] : []),
    ...(required ? [html` required`] : []),
  ]
  const content = value ?? (bounds?.byDefault === undefined ? '' : String(bounds.byDefault))
  return html`
  <label for="${name}">${shown}${isList ? ', one in a line' : ''}</label>
  ${hint === undefined ? '' : html`<p class="hint">${hint}</p>`}
  ${
    isList
      ? html`<textarea id="${name}" name="${name}" rows="4">${[content].flat().join('\n')}</textarea>`
      : html`<input id="${name}" name="${name}" value="${String(content)}"${attributes}>`
  }`
}

/** What a form did: the problem for the operator, or the result. @param nothing what a problem leaves as it was */
export async function outcomeOf<Result>(
  action: Promise<Result>,
  nothing?: string,
): Promise<{ readonly problem?: string; readonly done?: Result }> {
  try {
    return { done: await action }
  } catch (error) {
    // The page says so, and a form can be sent twice.
    return isUnknown(error) ? {} : { problem: problemOf(error, nothing) }
  }
}

export const { form_unknown } = defineErrors({ form_unknown: ['invalid_request', 'This form is unknown'] })

type Fields = Readonly<Record<string, string>>

/** Does what a form of the client page asks for. */
async function clientAction(
  clients: OperatorClients,
  id: string,
  fields: Fields,
): Promise<RotatedSecret | string> {
  switch (fields.action) {
    case 'remove':
      await clients.remove(id, PATIENCE)
      return 'The client is removed.'
    case 'rotate_secret':
      return clients.rotateSecret(id, { overlap: Number(fields.overlap) })
    case 'drop_old_secret':
      await clients.endOldSecret(id)
      return 'The older secret has ended.'
    case 'update':
      await clients.update(id, changesIn(fields), [fields.revision ?? ''])
      return 'The changes are saved.'
    default:
      throw new OAuthError(form_unknown)
  }
}

function changesIn({ client_name, redirect_uris, scopes }: Fields): Given {
  return {
    client_name,
    redirect_uris: linesOf(redirect_uris),
    // An empty field must not open every scope.
    ...(linesOf(scopes).length > 0 && { scopes: linesOf(scopes) }),
  }
}

export function linesOf(text = ''): string[] {
  return text.split(/\s+/).filter((line) => line !== '')
}
