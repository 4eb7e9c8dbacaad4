import type { ConsentView, HttpResponse } from '@grantkit/core'
import { html, type SafeHtml } from '@remix-run/html-template'
import { fill } from '../language.ts'
import { layout, type PageContext } from '../layout.ts'
import { appDetails, documentAddress, namedApp, signedInAs, unverifiedTarget } from './app.ts'
import { callbackChoice } from './callback.ts'
import { decision } from './scopes.ts'

/** The consent page. The app chose its own name, so the target of the redirect is as large. What few people need is folded: the scopes stand in sight. */
export async function consentPage(context: PageContext, view: ConsentView): Promise<HttpResponse> {
  const { consent } = context.language
  const { client, identity, session, scopes, returnTo } = view
  const known = identity?.known
  const offer = view.canShowCallback ? callbackChoice(context) : ''
  const main = html`
<h1>${consent.title}</h1>${problem(context, view)}
<div class="asker"><section class="app" aria-label="${consent.theApp}">
  ${namedApp(context, view)}
  <dl>${client.origin !== 'document' ? '' : documentAddress(context, client.clientId)}${unverifiedTarget(context, view)}${await signedInAs(context, session, returnTo)}</dl>
  ${appDetails(context, view.redirectUri, referenceRow(context, view))}
</section>
${known === undefined ? '' : whoGains(context, known.host)}</div>
<form method="post" action="${view.action}">
  <input type="hidden" name="ticket" value="${view.ticket}">
  ${decision(context, { asks: consent.asks, scopes, more: offer, cautious: known !== undefined, terms: view.terms })}
</form>`
  return layout(context, { title: consent.title, main, formAction: ["'self'", ...view.formActionSources] })
}

/** Why the last answer did not count. */
function problem(
  { language: { consent } }: PageContext,
  { formExpired, allowsNothing }: ConsentView,
): SafeHtml | '' {
  if (!formExpired && !allowsNothing) return ''
  return html`<p class="problem" role="alert">${formExpired ? consent.expired : consent.allowsNothing}</p>`
}

/**
 * All users of a known client share its address. Whoever sends the link of a sign-in that began in another account gets what
 * this user allows, if the client does not bind `state` to the browser (RFC 9700 4.7).
 */
function whoGains({ language: { consent } }: PageContext, at: string): SafeHtml {
  const gains = fill(consent.gains, { host: html`<bdi dir="ltr">${at}</bdi>` })
  return html`<p class="problem"><strong>${gains}</strong> ${consent.gainsReason}</p>
`
}

function referenceRow({ language }: PageContext, { reference }: ConsentView): SafeHtml | '' {
  if (reference === undefined) return ''
  return html`<div><dt>${language.consent.reference}</dt><dd><code dir="ltr">${reference}</code></dd></div>`
}
