import type { CallbackView, HttpResponse } from '@grantkit/core'
import { html, type SafeHtml } from '@remix-run/html-template'
import { counted } from '../language.ts'
import { layout, linkedToApps, type PageContext } from '../layout.ts'
import { appName } from './app.ts'

/** Part of the consent form of an app that waits at a loopback address. */
export function callbackChoice({ language: { callback } }: PageContext): SafeHtml {
  return html`
  <details>
    <summary>${callback.offer}</summary>
    <p class="problem">${callback.offerWarning}</p>
    <label class="scope"><input type="checkbox" name="callback" value="show"><span>${callback.offerChoice}</span></label>
  </details>`
}

/** The address that the browser would go to, for a person to take to the app. */
export function callbackPage(context: PageContext, view: CallbackView): HttpResponse {
  const { callback } = context.language
  if (view.allowed) return addressPage(context, view)
  const main = html`<h1>${callback.deniedTitle}</h1><p>${callback.denied}</p>`
  return layout(context, { title: callback.deniedTitle, main })
}

function addressPage(context: PageContext, { client, callbackUrl, lifetime }: CallbackView): HttpResponse {
  const { language } = context
  const { callback } = language
  const main = html`
<h1>${callback.title}</h1>
<p class="problem"><strong>${callback.warning}</strong> ${callback.warningReason}</p>
<section class="app" aria-label="${language.consent.theApp}">
  <p class="app-name">${appName(context, client)}</p>
  <p class="quiet">${callback.waits} ${counted(language, callback.lifetime, lifetime)}</p>
  <label class="field" for="callback">${callback.address}</label>
  <textarea id="callback" dir="ltr" rows="6" readonly autofocus>${callbackUrl}</textarea>
</section>
<p>${callback.notStarted} ${linkedToApps(context, callback.thenDisconnect)}</p>`
  return layout(context, { title: callback.title, main })
}
