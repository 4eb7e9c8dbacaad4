import type { HttpResponse } from '@grantkit/core'
import { html, type SafeHtml } from '@remix-run/html-template'
import type { ConnectedApp, ConnectedAppsView } from '../connected-apps/connected-apps.ts'
import { grouped } from '../connected-apps/user-apps.ts'
import { counted, fill } from '../language.ts'
import { layout, type PageContext } from '../layout.ts'
import { calledByItself, documentAddress, redirectHost, setUpByOperator, signedInAs } from './app.ts'
import { pointInTime } from './point-in-time.ts'
import { mark, permissionList } from './scopes.ts'

/** What the list of apps needs of the page that has it. */
export interface ConnectedAppsList
  extends Pick<ConnectedAppsView, 'locale' | 'apps' | 'next' | 'first' | 'actions' | 'ticket'> {
  /** The headings of its cards. Default `h2`. */
  readonly heading?: 'h2' | 'h3' | undefined
}

/** The apps of a user: what each may do and since when, with forms to disconnect it and one to name it. */
export async function connectedAppsPage(
  context: PageContext,
  view: ConnectedAppsView,
): Promise<HttpResponse> {
  const texts = context.language.connectedApps
  const who = await signedInAs(context, view.session, view.returnTo)
  const main = html`
<h1>${texts.title}</h1>${notice(context, view)}
${who === '' ? '' : html`<dl class="who">${who}</dl>`}
${connectedAppsList(context, view)}`
  return layout(context, { title: texts.title, main, formAction: ["'self'"] })
}

/** A card for each app, with its installations. */
export function connectedAppsList(context: PageContext, list: ConnectedAppsList): SafeHtml {
  const texts = context.language.connectedApps
  const isAll = list.next === undefined && list.first === undefined
  return html`${
    list.apps.length === 0
      ? html`<p>${isAll ? texts.none : texts.noneHere}</p>`
      : html`<p class="quiet">${texts.intro} ${texts.used}</p>${grouped(list.apps, ({ app }) => app).map((ofApp) => card(context, list, ofApp))}`
  }
${isAll ? '' : pageLinks(context, list)}`
}

/** What the last form did, or that it did nothing. */
function notice({ language }: PageContext, { expired, notice }: ConnectedAppsView): SafeHtml | '' {
  const { connectedApps, common } = language
  if (expired) return html`<p class="problem" role="alert">${connectedApps.expired}</p>`
  if (notice === undefined) return ''
  const app = html`<bdi>${notice.app ?? common.unnamedApp}</bdi>`
  return html`<p class="notice" role="status">${fill(connectedApps[notice.change], { app })}</p>`
}

type InstallationsOfApp = readonly [ConnectedApp, ...ConnectedApp[]]

function card(context: PageContext, list: ConnectedAppsList, ofApp: InstallationsOfApp): SafeHtml {
  const [app, ...others] = ofApp
  const { heading = 'h2' } = list
  const own = ownName(context, app)
  const isOne = others.length === 0
  const name = isOne ? (app.called ?? own) : own
  const calls = name === own ? '' : calledByItself(context, own)
  const address = app.origin === 'document' ? html`<dl>${documentAddress(context, app.clientId)}</dl>` : ''
  return html`
<article class="app">
  <${heading} class="app-name"><bdi>${name}</bdi></${heading}>
  <p class="quiet">${calls} ${origin(context, app)}</p>
  ${address}
  ${isOne ? installation(context, list, app) : installations(context, list, ofApp)}
</article>`
}

/** Folded: the user looks for the one that is lost, or disconnects all. */
function installations(context: PageContext, list: ConnectedAppsList, ofApp: InstallationsOfApp): SafeHtml {
  const { language } = context
  const texts = language.connectedApps
  const [app] = ofApp
  const all = counted(language, texts.disconnectAll, ofApp.length)
  const label = fill(texts.disconnectAllOf, { all, app: ownName(context, app) })
  return html`<p>${counted(language, texts.installations, ofApp.length)}</p>
  ${ofApp.map((one) => folded(context, list, one))}
  <form method="post" action="${list.actions.disconnect}" class="all">
    ${hiddenFields(list, app)}
    <input type="hidden" name="all" value="1">
    <button class="danger" aria-label="${label}">${all}</button>
  </form>`
}

function folded(context: PageContext, list: ConnectedAppsList, one: ConnectedApp): SafeHtml {
  const { language } = context
  const name = one.called ?? where(context, one) ?? ownName(context, one)
  const used = html`${language.connectedApps.lastUsed}: ${pointInTime(language, one.lastUsed)}`
  return html`<details class="installation"><summary><b><bdi>${name}</bdi></b> <span class="small">${used}</span></summary>
  ${installation(context, list, one)}</details>`
}

function installation(context: PageContext, list: ConnectedAppsList, app: ConnectedApp): SafeHtml {
  const texts = context.language.connectedApps
  const name = app.called ?? ownName(context, app)
  const facts = [place(context, app), allowedBy(context, app), organizations(context, app)].filter(
    (fact) => fact !== '',
  )
  return html`${facts.length === 0 ? '' : html`<dl>${facts}</dl>`}
  ${times(context, app)}
  ${permissionList(context.language, context.language.connectedApps.mayDo, app.scopes)}
  <div class="changes">
    <details><summary>${texts.yourName}<span class="unseen">: ${name}</span></summary>
    <form method="post" action="${list.actions.name}">
      ${hiddenFields(list, app)}
      <input name="name" aria-label="${fill(texts.yourNameFor, { app: name })}" maxlength="60" autocomplete="off" value="${app.called ?? ''}">
      <button>${texts.save}</button>
    </form></details>
    <form method="post" action="${list.actions.disconnect}">
      ${hiddenFields(list, app)}
      <button class="danger" aria-label="${fill(texts.disconnectApp, { app: name })}">${texts.disconnect}</button>
    </form>
  </div>`
}

function hiddenFields({ ticket }: ConnectedAppsList, app: ConnectedApp): SafeHtml {
  return html`<input type="hidden" name="ticket" value="${ticket}">
    <input type="hidden" name="installation" value="${app.installation}">`
}

function ownName({ language }: PageContext, { name, origin }: ConnectedApp): string {
  if (origin === undefined) return language.connectedApps.unregistered
  return name ?? language.common.unnamedApp
}

/** How far to trust the name. Nobody says it of an app that is gone. */
function origin(context: PageContext, app: ConnectedApp): SafeHtml | string {
  if (app.origin === undefined) return ''
  return app.origin === 'integration' ? setUpByOperator(context) : context.language.connectedApps.unverified
}

function place(context: PageContext, { device, redirectUris, knownClient }: ConnectedApp): SafeHtml | '' {
  const { connectedApps: texts, consent } = context.language
  if (device === undefined && redirectUris.length === 0) return ''
  if (device === undefined)
    return html`<div><dt>${consent.sendsYouTo}</dt>${redirectUris.map((uri) => html`<dd>${redirectHost(context, uri)}${knownClient !== undefined && uri.startsWith('https:') ? mark(texts.verifiedAddress) : ''}</dd>`)}</div>`
  return html`<div><dt>${texts.runsOn}</dt><dd>${otherDevice(context, device.network)}</dd></div>`
}

/** The identity provider that allowed it; `''` if the user did. */
function allowedBy({ language }: PageContext, { allowedBy: issuer }: ConnectedApp): SafeHtml | '' {
  if (issuer === undefined) return ''
  return html`<div><dt>${language.connectedApps.allowedBy}</dt><dd><bdi dir="ltr"><code>${issuer}</code></bdi></dd></div>`
}

function organizations({ language }: PageContext, { organizations: names }: ConnectedApp): SafeHtml | '' {
  if (names === undefined) return ''
  return html`<div><dt>${language.organization.label}</dt>${names.map((name) => html`<dd><bdi>${name}</bdi></dd>`)}</div>`
}

function otherDevice({ language }: PageContext, network: string | undefined): SafeHtml | string {
  const texts = language.connectedApps
  if (network === undefined) return texts.otherDevice
  return fill(texts.otherDeviceFrom, { network: html`<bdi dir="ltr"><code>${network}</code></bdi>` })
}

/** What tells an installation without a name from others of its app. */
function where(
  context: PageContext,
  { device, redirectUris: [uri] }: ConnectedApp,
): SafeHtml | string | undefined {
  if (device !== undefined) return otherDevice(context, device.network)
  return uri === undefined ? undefined : redirectHost(context, uri)
}

function times({ language }: PageContext, { firstUsed, lastUsed }: ConnectedApp): SafeHtml {
  const { connectedApps } = language
  return html`<dl class="times"><div><dt>${connectedApps.lastUsed}</dt><dd>${pointInTime(language, lastUsed)}</dd></div>
<div><dt>${connectedApps.firstUsed}</dt><dd>${pointInTime(language, firstUsed)}</dd></div></dl>`
}

function pageLinks({ language }: PageContext, { next, first }: ConnectedAppsList): SafeHtml {
  const texts = language.connectedApps
  const link = (address: string | undefined, rel: string, text: string) =>
    address === undefined ? '' : html`<a rel="${rel}" href="${address}">${text}</a>`
  return html`<nav class="pages" aria-label="${texts.pages}">${link(first, 'first', texts.firstPage)} ${link(next, 'next', texts.nextPage)}</nav>`
}
