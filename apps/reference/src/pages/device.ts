import type { HttpResponse } from '@grantkit/core'
import type { DeviceAnsweredView, DeviceInteraction, DeviceView, UserCodeView } from '@grantkit/core/device'
import { html } from 'hono/html'
import type { Account } from '../accounts/accounts.ts'
import { canAllowReadingOnly, consentCount, consentScopes } from './consent-scopes.ts'
import { originHint } from './document-address.ts'
import { nameAndEmail, page, type Site } from './page.ts'
import type { PagesOptions } from './routes.ts'

/** The pages on which a user enters the user code of a device, and decides. */
export function deviceInteraction(options: PagesOptions): DeviceInteraction {
  const { site, accounts } = options
  return {
    userCodePage: (view) => userCodePage(site, view),
    devicePage: async (view) => devicePage(site, view, await accounts.find(view.session.subject)),
    deviceAnsweredPage: (view) => answeredPage(site, view),
  }
}

function userCodePage(site: Site, { action, ticket, typed, wrong }: UserCodeView): Promise<HttpResponse> {
  const filledIn = typed !== '' && !wrong
  const main = html`
<h1>Connect a device</h1>${wrong ? WRONG : ''}
<form method="post" action="${action}" class="card">
  <input type="hidden" name="ticket" value="${ticket}">
  <label for="user_code">Code</label>
  <input id="user_code" name="user_code" class="user-code" value="${typed}" maxlength="32" required autofocus autocomplete="off" autocapitalize="characters" spellcheck="false" aria-describedby="where">
  <p class="hint" id="where">${filledIn ? 'It came with a link. Go on only if your own device shows the same code now.' : 'Your device, or the program you have just started on it, shows it.'}</p>
  <button class="primary">Continue</button>
</form>
<p>If somebody sent you a code or a link, close this page: it would let them in.</p>`
  return page(site, { title: 'Connect a device', main, formAction: ["'self'"] })
}

const WRONG = html`<p class="problem" role="alert">This code is not valid, or not any more. Look at your device again, or begin anew there.</p>`

function devicePage(site: Site, view: DeviceView, account: Account | undefined): Promise<HttpResponse> {
  const { client, scopes } = view
  const main = html`
<h1>Give another device access?</h1>
<p class="problem"><strong>If somebody sent you this code, deny.</strong> You do not sign in here: you let another device act in your name, wherever it is and whoever holds it.</p>
<section class="card" aria-label="The device">
  <p class="app-name"><bdi>${client.clientName ?? 'An app without a name'}</bdi></p>
  <p class="hint">${originHint({ client, identity: undefined })}</p>
  <dl>
    <dt>Its code</dt><dd><code class="user-code whole">${view.userCode}</code></dd>
    <dt>Began</dt><dd>${ago(view.age)}, ${network(view.sameNetwork)}</dd>
    <dt>Signed in as</dt><dd>${nameAndEmail(account)} · <a class="whole" href="${site.basePath}/logout?${new URLSearchParams({ return_to: `${site.basePath}/oauth/device` })}">Not you?</a></dd>
  </dl>
</section>
<form method="post" action="${view.action}">
  <input type="hidden" name="ticket" value="${view.ticket}">
  <p>The device asks to do the following in your name: <strong>${consentCount(scopes)}</strong></p>
  <p>Untick what it should not do. You can disconnect it at any time in <a href="${site.basePath}/account">your account</a>.</p>
  ${consentScopes(scopes)}
  <div class="actions decision">
    <button name="decision" value="deny">Deny</button>
    ${canAllowReadingOnly(scopes) ? html`<button name="decision" value="allow_reading">Allow reading only</button>` : ''}
    <button name="decision" value="allow">Allow</button>
  </div>
</form>`
  return page(site, { title: 'Give another device access', main, formAction: ["'self'"] })
}

function ago(seconds: number): string {
  if (seconds < 60) return `${seconds} ${seconds === 1 ? 'second' : 'seconds'} ago`
  const minutes = Math.floor(seconds / 60)
  return `${minutes} ${minutes === 1 ? 'minute' : 'minutes'} ago`
}

function network(same: boolean | undefined): string {
  if (same === undefined) return 'from an unknown network'
  return same ? 'from the network you are in' : 'from another network than yours'
}

function answeredPage(site: Site, { client, allowed }: DeviceAnsweredView): Promise<HttpResponse> {
  const name = html`<bdi>${client.clientName ?? 'the app'}</bdi>`
  const main = allowed
    ? html`
<h1>The device has access</h1>
<p>Go back to it: ${name} goes on by itself in a few seconds. You can close this page.</p>
<p>If you did not begin this on a device of your own, disconnect it now in <a href="${site.basePath}/account">your account</a>.</p>`
    : html`
<h1>Nothing got access</h1>
<p>${name} on the device is told so. You can close this page.</p>`
  return page(site, { title: allowed ? 'The device has access' : 'Nothing got access', main })
}
