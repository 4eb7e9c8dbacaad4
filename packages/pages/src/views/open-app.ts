import type { HttpResponse, OpenAppView } from '@grantkit/core'
import { html, type SafeHtml } from '@remix-run/html-template'
import { counted, fill } from '../language.ts'
import { layout, type PageContext } from '../layout.ts'
import { appDetails, appName, redirectTarget } from './app.ts'

/** The user goes on in an app, which core opens by the headers of this page; the link is for browsers that want a click. */
export function openAppPage(context: PageContext, view: OpenAppView): HttpResponse {
  const { openApp, consent } = context.language
  const main = html`
<h1>${backToApp(context, view)}</h1>
<p>${view.allowed ? openApp.allowed : openApp.denied}</p>
<section class="app" aria-label="${consent.theApp}"><dl>${redirectTarget(context, view.redirectUri)}</dl>
  ${appDetails(context, view.redirectUri)}</section>
<p class="${view.allowed ? '' : 'pages'}"><a class="${view.allowed ? 'primary' : ''}" href="${view.callbackUrl}">${openApp.open}</a></p>
<p class="quiet">${view.allowed ? html`${counted(context.language, openApp.lifetime, view.lifetime)} ` : ''}${openApp.close}</p>`
  return layout(context, { title: openApp.open, main })
}

/** The heading of a page that leads to an app. */
export function backToApp(context: PageContext, { client }: Pick<OpenAppView, 'client'>): SafeHtml {
  const { title, unnamedTitle } = context.language.openApp
  return client.clientName === undefined
    ? html`${unnamedTitle}`
    : fill(title, { app: appName(context, client) })
}
