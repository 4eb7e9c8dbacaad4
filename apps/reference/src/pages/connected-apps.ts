import type { UserGrant } from '@grantkit/core'
import { html } from 'hono/html'
import { SCOPES, type Scope } from '../oauth/scopes.ts'
import { type Markup, pointInTime } from './page.ts'
import { redirectTarget } from './redirect-target.ts'

/** One installation of an app, with all its grants. */
export interface ConnectedApp {
  readonly installation: string
  /** The name that it registered. */
  readonly name: string
  /** The name that its user gave it. */
  readonly called?: string | undefined
  /** True if the operator added it, so the name is verified. */
  readonly arranged: boolean
  readonly redirectUris: readonly string[]
  /** Present if it uses the device grant. The network is that of the device authorization request, if known. */
  readonly device?: { readonly network?: string | undefined } | undefined
  readonly scopes: readonly Scope[]
  /** Epoch seconds. */
  readonly firstUsed: number
  readonly lastUsed: number
  readonly grantIds: readonly string[]
  /** Present if this installation has all grants of the client, including those on other pages. */
  readonly clientId?: string | undefined
}

/** The most recently used first. */
export function connectedApps(grants: readonly UserGrant[]): ConnectedApp[] {
  const byUse = grants.toSorted((one, other) => other.usedAt - one.usedAt)
  return [...Map.groupBy(byUse, installationOf)].map(([installation, ofApp]) => ({
    installation,
    name: nameOf(ofApp),
    arranged: ofApp.some(({ client }) => client?.origin === 'integration'),
    device: ofApp.find(({ origin }) => origin === 'device'),
    redirectUris: [...new Set(ofApp.flatMap(({ redirectUri }) => redirectUri ?? []))],
    scopes: scopesOf(ofApp),
    firstUsed: Math.min(...ofApp.map(({ createdAt }) => createdAt)),
    lastUsed: Math.max(...ofApp.map(({ usedAt }) => usedAt)),
    grantIds: ofApp.map(({ id }) => id),
    clientId: ofApp.find(({ clientId }) => clientId === installation)?.clientId,
  }))
}

/**
 * A registered client is one installation. A client ID metadata document is shared by all installations, and a client
 * of the device grant by all devices, so each grant counts as one.
 */
function installationOf({ clientId, id, origin }: UserGrant): string {
  return origin === 'device' || clientId.startsWith('https://') ? id : clientId
}

function nameOf([first]: readonly UserGrant[]): string {
  if (first?.client === undefined) return 'An app that is not registered any more'
  return first.client.clientName ?? 'An app without a name'
}

/** Ordered as in the scope catalogue. */
function scopesOf(grants: readonly UserGrant[]): Scope[] {
  const allowed = new Set(grants.flatMap(({ scopes }) => scopes))
  return (Object.keys(SCOPES) as Scope[]).filter((scope) => allowed.has(scope))
}

/** The targets of the forms, and the token that proves that the form was issued to this user. */
interface Forms {
  readonly disconnect: string
  readonly name: string
  readonly token: string
}

export function appCard(app: ConnectedApp, { disconnect, name, token }: Forms): Markup {
  const { installation, called } = app
  const shown = called ?? app.name
  const hidden = html`<input type="hidden" name="token" value="${token}">
    <input type="hidden" name="installation" value="${installation}">`
  return html`
<article class="card">
  <h3 class="app-name"><bdi>${shown}</bdi></h3>
  <p class="hint">${called === undefined ? '' : html`It calls itself <bdi>${app.name}</bdi>. `}${app.arranged ? 'An integration that the school has arranged.' : 'It chose this name itself.'}</p>
  <dl>
    ${app.device === undefined ? sendsTo(app.redirectUris) : runsOn(app.device)}
    <dt>First used</dt><dd>${pointInTime(app.firstUsed)}</dd>
    <dt>Last used</dt><dd>${pointInTime(app.lastUsed)}</dd>
  </dl>
  <details${app.scopes.length <= FEW ? html` open` : ''}>
    <summary>What it may do</summary>
    <ul class="scopes">${app.scopes.map(scopeLine)}</ul>
  </details>
  <details>
    <summary>Your name for it<span class="unseen">, ${shown}</span></summary>
    <form method="post" action="${name}" class="naming">
      ${hidden}
      <input name="name" aria-label="Your name for ${shown}" maxlength="60" placeholder="Old laptop" value="${called ?? ''}">
      <button>Save</button>
    </form>
  </details>
  <form method="post" action="${disconnect}" class="actions">
    ${hidden}
    <button class="danger">Disconnect<span class="unseen"> ${shown}</span></button>
  </form>
</article>`
}

function sendsTo(uris: readonly string[]): Markup {
  return html`<dt>Sends you to</dt><dd>${uris.map((uri) => html`<div>${redirectTarget(uri)}</div>`)}</dd>`
}

function runsOn({ network }: NonNullable<ConnectedApp['device']>): Markup {
  const from = network === undefined ? '' : html`, which asked from <code>${network}</code>`
  return html`<dt>Runs on</dt><dd>another device${from}</dd>`
}

/** A longer list is folded, so that the next app stays on the screen. */
const FEW = 6

function scopeLine(scope: Scope): Markup {
  const { description, access } = SCOPES[scope]
  const badge =
    access === undefined
      ? ''
      : html`<span class="badge ${access}">${access === 'read' ? 'Read' : 'Write'}</span>`
  return html`<li class="scope"><span>${description}</span>${badge}</li>`
}
