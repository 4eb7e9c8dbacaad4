import type { HttpResponse } from '@grantkit/core'
import type { LogoutView } from '@grantkit/core/logout'
import { html, type SafeHtml } from '@remix-run/html-template'
import { fill } from '../language.ts'
import { layout, linkedToApps, type PageContext } from '../layout.ts'
import { appName } from './app.ts'

/** Asks whether to sign out: an app, or anybody's link, wants it. */
export function logoutPage(context: PageContext, view: LogoutView): HttpResponse {
  const { site, language } = context
  const { logout } = language
  const { client } = view
  const named = client?.clientName !== undefined
  const brand = html`<bdi>${site.theme.name}</bdi>`
  const app = html`<strong>${appName(context, client)}</strong>`
  const main = html`
<h1>${logout.title}</h1>
<p>${fill(named ? logout.askedByApp : logout.askedByLink, { app, brand })}</p>
<p>${appsKeepAccess(context)}</p>
<form method="post" action="${view.action}">
  <input type="hidden" name="ticket" value="${view.ticket}">
  <p><button class="primary">${logout.signOut}</button></p>
</form>
${site.links.home === undefined ? '' : html`<p><a href="${site.links.home}">${logout.stay}</a></p>`}`
  return layout(context, { title: logout.title, main, formAction: ["'self'", ...view.formActionSources] })
}

export function signedOutPage(context: PageContext): HttpResponse {
  const title = context.language.logout.signedOutTitle
  return layout(context, { title, main: html`<h1>${title}</h1><p>${appsKeepAccess(context)}</p>` })
}

function appsKeepAccess(context: PageContext): SafeHtml {
  const { logout } = context.language
  return html`${logout.appsKeepAccess} ${linkedToApps(context, logout.disconnect)}`
}
