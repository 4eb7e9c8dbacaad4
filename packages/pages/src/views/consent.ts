import type { ConsentView, HttpResponse } from '@grantkit/core'
import { html } from '@remix-run/html-template'
import { layout, type PageContext } from '../layout.ts'
import { appName, documentAddress, originHint, redirectTarget, signedInAs } from './app.ts'
import { callbackChoice } from './callback.ts'
import { decision } from './scopes.ts'

/** The consent page. The app chose its own name, so the target of the redirect is as large, and there in full on demand. */
export async function consentPage(context: PageContext, view: ConsentView): Promise<HttpResponse> {
  const { consent } = context.language
  const { client, session, scopes, returnTo } = view
  const offer = view.canShowCallback ? callbackChoice(context) : ''
  const main = html`
<h1>${consent.title}</h1>${view.formExpired ? html`<p class="problem" role="alert">${consent.expired}</p>` : ''}
<section class="app" aria-label="${consent.theApp}">
  <p class="app-name">${appName(context, client)}</p>
  <p class="quiet">${originHint(context, view)}</p>
  <dl>${client.origin !== 'document' ? '' : documentAddress(context, client.clientId)}${redirectTarget(context, view.redirectUri)}${await signedInAs(context, session, returnTo)}</dl>
</section>
<form method="post" action="${view.action}">
  <input type="hidden" name="ticket" value="${view.ticket}">
  ${decision(context, { asks: consent.asks, scopes, more: offer })}
</form>`
  return layout(context, { title: consent.title, main, formAction: ["'self'", ...view.formActionSources] })
}
