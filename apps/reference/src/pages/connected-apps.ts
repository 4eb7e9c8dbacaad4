import type { UserGrant } from '@grantkit/core'
import { html } from 'hono/html'
import { SCOPES, type Scope } from '../scopes.ts'
import { type Markup, pointInTime } from './page.ts'
import { redirectTarget } from './redirect-target.ts'

/** One installation of an app, with everything its user has allowed. */
export interface ConnectedApp {
  readonly clientId: string
  readonly name: string
  /** True if the operator vouches for the name. */
  readonly arranged: boolean
  readonly redirectUris: readonly string[]
  readonly scopes: readonly Scope[]
  /** Epoch seconds. */
  readonly firstUsed: number
  readonly lastUsed: number
  readonly grantIds: readonly string[]
}

/** @param grants the most recently used first */
export function connectedApps(grants: readonly UserGrant[]): ConnectedApp[] {
  return [...Map.groupBy(grants, ({ clientId }) => clientId)].map(([clientId, ofApp]) => ({
    clientId,
    name: nameOf(ofApp),
    arranged: ofApp.some(({ client }) => client?.origin === 'integration'),
    redirectUris: [...new Set(ofApp.flatMap(({ redirectUri }) => redirectUri ?? []))],
    scopes: scopesOf(ofApp),
    firstUsed: Math.min(...ofApp.map(({ createdAt }) => createdAt)),
    lastUsed: Math.max(...ofApp.map(({ usedAt }) => usedAt)),
    grantIds: ofApp.map(({ id }) => id),
  }))
}

function nameOf([first]: readonly UserGrant[]): string {
  if (first?.client === undefined) return 'An app that is not registered any more'
  return first.client.clientName ?? 'An app without a name'
}

/** In the order of the catalogue. */
function scopesOf(grants: readonly UserGrant[]): Scope[] {
  const allowed = new Set(grants.flatMap(({ scopes }) => scopes))
  return (Object.keys(SCOPES) as Scope[]).filter((scope) => allowed.has(scope))
}

/** @param action the target of the form @param token proves that this user was shown this page */
export function appCard(app: ConnectedApp, action: string, token: string): Markup {
  return html`
<article class="card">
  <h3 class="app-name"><bdi>${app.name}</bdi></h3>
  <p class="hint">${app.arranged ? 'An integration that the school has arranged.' : 'It chose this name itself.'}</p>
  <dl>
    <dt>Sends you to</dt><dd>${app.redirectUris.map((uri) => html`<div>${redirectTarget(uri)}</div>`)}</dd>
    <dt>First used</dt><dd>${pointInTime(app.firstUsed)}</dd>
    <dt>Last used</dt><dd>${pointInTime(app.lastUsed)}</dd>
  </dl>
  <details${app.scopes.length <= FEW ? html` open` : ''}>
    <summary>What it may do</summary>
    <ul class="scopes">${app.scopes.map(scopeLine)}</ul>
  </details>
  <form method="post" action="${action}" class="actions">
    <input type="hidden" name="token" value="${token}">
    <input type="hidden" name="client_id" value="${app.clientId}">
    <button class="danger">Disconnect<span class="unseen"> ${app.name}</span></button>
  </form>
</article>`
}

/** More scopes would push the next app off the screen. */
const FEW = 6

function scopeLine(scope: Scope): Markup {
  const { description, access } = SCOPES[scope]
  const badge =
    access === undefined
      ? ''
      : html`<span class="badge ${access}">${access === 'read' ? 'Read' : 'Write'}</span>`
  return html`<li class="scope"><span>${description}</span>${badge}</li>`
}
