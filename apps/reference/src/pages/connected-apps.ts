import type { ConnectedApp } from '@grantkit/core/connected-apps'
import type { ScopeInWords } from '@grantkit/core/feature'
import { html } from '@grantkit/pages'
import { type Markup, pointInTime } from './page.ts'
import { redirectTarget } from './redirect-target.ts'

/** The targets of the forms, and the token that proves that the form was issued to this user. */
interface Forms {
  readonly disconnect: string
  readonly name: string
  readonly token: string
}

export function appCard(app: ConnectedApp, { disconnect, name, token }: Forms): Markup {
  const { installation, called } = app
  const shown = shownName(app)
  const hidden = html`<input type="hidden" name="token" value="${token}">
    <input type="hidden" name="installation" value="${installation}">`
  return html`
<article class="card">
  <h3 class="app-name"><bdi>${shown}</bdi></h3>
  <p class="hint">${called === undefined ? '' : html`It calls itself <bdi>${ownName(app)}</bdi>. `}${app.origin === 'integration' ? 'An integration that the school has arranged.' : 'It chose this name itself.'}</p>
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

/** What the page calls it. */
export function shownName(app: ConnectedApp): string {
  return app.called ?? ownName(app)
}

function ownName({ name, origin }: ConnectedApp): string {
  if (origin === undefined) return 'An app that is not registered any more'
  return name ?? 'An app without a name'
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

function scopeLine({ description, access }: ScopeInWords): Markup {
  const badge =
    access === undefined
      ? ''
      : html`<span class="badge ${access}">${access === 'read' ? 'Read' : 'Write'}</span>`
  return html`<li class="scope"><span>${description}</span>${badge}</li>`
}
