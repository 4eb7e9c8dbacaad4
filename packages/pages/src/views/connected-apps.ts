import type { HttpResponse } from '@grantkit/core'
import type { ConnectedApp, ConnectedAppsView } from '@grantkit/core/connected-apps'
import type { ScopeInWords } from '@grantkit/core/feature'
import { html, type SafeHtml } from '@remix-run/html-template'
import { fill, type Language } from '../language.ts'
import { layout, type PageContext } from '../layout.ts'
import { documentAddress, redirectHost, signedInAs } from './app.ts'
import { canChange, scopeCount } from './scopes.ts'

/** The apps of a user: what each may do and since when, with a form to disconnect and one to name it. */
export async function connectedAppsPage(
  context: PageContext,
  view: ConnectedAppsView,
): Promise<HttpResponse> {
  const texts = context.language.connectedApps
  const { apps, next, first, session, returnTo } = view
  const isAll = next === undefined && first === undefined
  const who = await signedInAs(context, session, returnTo)
  const main = html`
<h1>${texts.title}</h1>${notice(context, view)}
${who === '' ? '' : html`<dl class="who">${who}</dl>`}
${
  apps.length === 0
    ? html`<p>${isAll ? texts.none : texts.noneHere}</p>`
    : html`<p class="quiet">${texts.intro} ${texts.used}</p>${apps.map((app) => card(context, view, app))}`
}
${isAll ? '' : pageLinks(context, view)}`
  return layout(context, { title: texts.title, main, formAction: ["'self'"] })
}

/** What the last form did, or that it did nothing. */
function notice({ language }: PageContext, { expired, notice }: ConnectedAppsView): SafeHtml | '' {
  const { connectedApps, common } = language
  if (expired) return html`<p class="problem" role="alert">${connectedApps.expired}</p>`
  if (notice === undefined) return ''
  const app = html`<bdi>${notice.app ?? common.unnamedApp}</bdi>`
  return html`<p class="notice" role="status">${fill(connectedApps[notice.change], { app })}</p>`
}

function card(context: PageContext, view: ConnectedAppsView, app: ConnectedApp): SafeHtml {
  const { language } = context
  const texts = language.connectedApps
  const { called, installation } = app
  const own = ownName(context, app)
  const name = called ?? own
  const hidden = html`<input type="hidden" name="ticket" value="${view.ticket}">
  <input type="hidden" name="installation" value="${installation}">`
  return html`
<article class="app">
  <h2><bdi>${name}</bdi></h2>
  <p class="quiet">${called === undefined ? '' : fill(texts.callsItself, { app: html`<bdi>${own}</bdi>` })} ${origin(context, app)}</p>
  <dl>${app.origin === 'document' ? documentAddress(context, app.clientId) : ''}${place(context, app)}</dl>
  ${times(context, app)}
  ${permissions(context, app.scopes)}
  <div class="changes">
    <details><summary>${texts.yourName}<span class="unseen">: ${name}</span></summary>
    <form method="post" action="${view.actions.name}">
      ${hidden}
      <input name="name" aria-label="${fill(texts.yourNameFor, { app: name })}" maxlength="60" autocomplete="off" value="${called ?? ''}">
      <button>${texts.save}</button>
    </form></details>
    <form method="post" action="${view.actions.disconnect}">
      ${hidden}
      <button class="danger" aria-label="${fill(texts.disconnectApp, { app: name })}">${texts.disconnect}</button>
    </form>
  </div>
</article>`
}

function ownName({ language }: PageContext, { name, origin }: ConnectedApp): string {
  if (origin === undefined) return language.connectedApps.unregistered
  return name ?? language.common.unnamedApp
}

/** How far to trust the name. Nobody says it of an app that is gone. */
function origin({ site, language }: PageContext, app: ConnectedApp): SafeHtml | string {
  if (app.origin === undefined) return ''
  if (app.origin !== 'integration') return language.connectedApps.unverified
  return fill(language.origin.operator, { brand: html`<bdi>${site.theme.name}</bdi>` })
}

function place(context: PageContext, { device, redirectUris }: ConnectedApp): SafeHtml | '' {
  const { connectedApps: texts, consent } = context.language
  if (device === undefined && redirectUris.length === 0) return ''
  if (device === undefined)
    return html`<div><dt>${consent.sendsYouTo}</dt>${redirectUris.map((uri) => html`<dd>${redirectHost(context, uri)}</dd>`)}</div>`
  const network = html`<bdi dir="ltr"><code>${device.network}</code></bdi>`
  const where = device.network === undefined ? texts.otherDevice : fill(texts.otherDeviceFrom, { network })
  return html`<div><dt>${texts.runsOn}</dt><dd>${where}</dd></div>`
}

function times({ language }: PageContext, { firstUsed, lastUsed }: ConnectedApp): SafeHtml {
  const { connectedApps } = language
  return html`<dl class="times"><div><dt>${connectedApps.lastUsed}</dt><dd>${pointInTime(language, lastUsed)}</dd></div>
<div><dt>${connectedApps.firstUsed}</dt><dd>${pointInTime(language, firstUsed)}</dd></div></dl>`
}

/** How much it is, before any of it: many apps share the page. */
function permissions({ language }: PageContext, scopes: readonly ScopeInWords[]): SafeHtml {
  const lines = scopes.map(
    ({ description, access }) =>
      html`<li>${description}${access === 'write' ? canChange(language) : ''}</li>`,
  )
  return html`<details><summary>${language.connectedApps.mayDo} <span class="small">${scopeCount(language, scopes)}</span></summary>
  <ul class="plain">${lines}</ul></details>`
}

function pageLinks({ language }: PageContext, { next, first }: ConnectedAppsView): SafeHtml {
  const texts = language.connectedApps
  const link = (address: string | undefined, rel: string, text: string) =>
    address === undefined ? '' : html`<a rel="${rel}" href="${address}">${text}</a>`
  return html`<nav class="pages" aria-label="${texts.pages}">${link(first, 'first', texts.firstPage)} ${link(next, 'next', texts.nextPage)}</nav>`
}

/** With its zone: without a script the zone of the reader is unknown. @param seconds since the epoch */
function pointInTime({ tag }: Language, seconds: number): SafeHtml {
  const time = new Date(seconds * 1000)
  const words = new Intl.DateTimeFormat(tag, { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })
  return html`<time datetime="${time.toISOString()}">${words.format(time)} UTC</time>`
}
