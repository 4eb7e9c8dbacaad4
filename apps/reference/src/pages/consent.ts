import type { ConsentView, HttpResponse } from '@grantkit/core'
import { html } from 'hono/html'
import type { Account } from '../accounts/accounts.ts'
import { ELSEWHERE } from './callback.ts'
import { canAllowReadingOnly, consentCount, consentScopes, isLong } from './consent-scopes.ts'
import { documentAddress, originHint } from './document-address.ts'
import { nameAndEmail, page, type Site } from './page.ts'
import { redirectTarget } from './redirect-target.ts'

/**
 * The consent page. The app chose its own name, so the redirect target is shown in the same size, and in full on
 * demand.
 */
export function consentPage(
  site: Site,
  view: ConsentView,
  account: Account | undefined,
): Promise<HttpResponse> {
  const { client, scopes } = view
  const name = client.clientName ?? 'An app without a name'
  const main = html`
<h1>Allow access?</h1>${view.formExpired ? EXPIRED : ''}
<section class="card" aria-label="The app">
  <p class="app-name"><bdi>${name}</bdi></p>
  <p class="hint">${originHint(view)}</p>
  <dl>
    ${documentAddress(view)}<dt>Sends you to</dt><dd>${redirectTarget(view.redirectUri)}<details><summary>The whole address</summary><code>${view.redirectUri}</code></details></dd>
    <dt>Signed in as</dt><dd>${nameAndEmail(account)} · <a class="whole" href="${site.basePath}/logout?${new URLSearchParams({ return_to: view.returnTo })}">Not you?</a></dd>
  </dl>
</section>
<form method="post" action="${view.action}">
  <input type="hidden" name="ticket" value="${view.ticket}">
  <p>It asks to do the following in your name: <strong>${consentCount(scopes)}</strong></p>
  <p>Untick what it should not do. You can disconnect it at any time in <a href="${site.basePath}/account">your account</a>.${isLong(scopes) ? TO_BUTTONS : ''}</p>
  ${consentScopes(scopes)}${view.canShowCallback ? ELSEWHERE : ''}
  <div class="actions decision${isLong(scopes) ? ' in-sight' : ''}" id="decision" tabindex="-1">
    <button name="decision" value="allow" class="primary">Allow</button>
    ${canAllowReadingOnly(scopes) ? html`<button name="decision" value="allow_reading">Allow reading only</button>` : ''}
    <button name="decision" value="deny">Deny</button>
  </div>
</form>`
  return page(site, { title: 'Allow access', main, formAction: ["'self'", ...view.formActionSources] })
}

const TO_BUTTONS = html` <a class="skip" href="#decision">To Allow and Deny</a>`

const EXPIRED = html`<p class="problem" role="alert">Your answer did not count: this page was open for too long, or you have signed in anew since. Please answer again.</p>`
