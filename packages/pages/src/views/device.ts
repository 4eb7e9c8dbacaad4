import type { HttpResponse } from '@grantkit/core'
import type { DeviceAnsweredView, DeviceView, UserCodeView } from '@grantkit/core/device'
import { html, type SafeHtml } from '@remix-run/html-template'
import { ago, fill, type Language } from '../language.ts'
import { layout, linkedToApps, type PageContext } from '../layout.ts'
import { appName, namedApp, signedInAs } from './app.ts'
import { decision } from './scopes.ts'

/** The page on which the user of a device without a browser types its code. */
export function userCodePage(context: PageContext, view: UserCodeView): HttpResponse {
  const { device } = context.language
  const { action, ticket, typed, wrong } = view
  const filledIn = typed !== '' && !wrong
  const main = html`
<h1>${device.codeTitle}</h1>${wrong ? html`<p class="problem" role="alert">${device.codeWrong}</p>` : ''}
<form method="post" action="${action}">
  <input type="hidden" name="ticket" value="${ticket}">
  <label class="field" for="user_code">${device.code}</label>
  <input id="user_code" name="user_code" class="code" dir="ltr" value="${typed}" maxlength="32" required autofocus autocomplete="off" autocapitalize="characters" spellcheck="false" aria-describedby="where">
  <p class="quiet" id="where">${filledIn ? device.codeFromLink : device.codeWhere}</p>
  <p><button class="primary">${device.continue}</button></p>
</form>
<p>${device.codeSent}</p>`
  return layout(context, { title: device.codeTitle, main, formAction: ["'self'"] })
}

/** Whoever sends a code to somebody else gets what that person allows: the warning comes first (BCP 247 6.1). */
export async function devicePage(context: PageContext, view: DeviceView): Promise<HttpResponse> {
  const { device } = context.language
  const { client, session } = view
  const main = html`
<h1>${device.title}</h1>
<div class="asker"><p class="problem"><strong>${device.warning}</strong> ${device.warningReason}</p>
<section class="app" aria-label="${device.theDevice}">
  ${namedApp(context, { client })}
  <dl>
    <div><dt>${device.itsCode}</dt><dd><span class="code" dir="ltr">${view.userCode}</span></dd></div>
    <div><dt>${device.started}</dt><dd>${started(context.language, view)}</dd></div>
    ${await signedInAs(context, session, view.request.path)}
  </dl>
</section></div>
<form method="post" action="${view.action}">
  <input type="hidden" name="ticket" value="${view.ticket}">
  ${decision(context, { asks: device.asks, scopes: view.scopes, cautious: true, terms: view.terms })}
</form>`
  return layout(context, { title: device.title, main, formAction: ["'self'"] })
}

function started(language: Language, { age, sameNetwork }: DeviceView): SafeHtml {
  const { device } = language
  const known = sameNetwork ? device.sameNetwork : device.otherNetwork
  return fill(sameNetwork === undefined ? device.unknownNetwork : known, { ago: ago(language, age) })
}

export function deviceAnsweredPage(
  context: PageContext,
  { client, allowed }: DeviceAnsweredView,
): HttpResponse {
  const { device } = context.language
  const app = appName(context, client)
  const title = allowed ? device.allowedTitle : device.deniedTitle
  const notYours = linkedToApps(context, device.notYours)
  const main = allowed
    ? html`<h1>${title}</h1><p>${fill(device.allowed, { app })}</p><p>${notYours}</p>`
    : html`<h1>${title}</h1><p>${fill(device.denied, { app })}</p>`
  return layout(context, { title, main })
}
