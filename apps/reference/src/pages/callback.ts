import type { CallbackView, HttpResponse } from '@grantkit/core'
import { html } from 'hono/html'
import { page, type Site } from './page.ts'

/** Part of the consent form for an app with a loopback redirect URI. */
export const ELSEWHERE = html`
  <details>
    <summary>My app runs on another machine</summary>
    <p class="problem">Only if you have started it there yourself. You then carry an address to it that signs it in. Whoever else asks you for that address, or sent you here, wants to get into your account.</p>
    <label class="scope"><input type="checkbox" name="callback" value="show"><span>Show me the address, to paste it into my app</span></label>
  </details>`

/** The callback URL, for a person to paste into the app. */
export function callbackPage(site: Site, view: CallbackView): Promise<HttpResponse> {
  return view.allowed ? addressPage(site, view) : page(site, { title: 'Nothing got access', main: DENIED })
}

const DENIED = html`
<h1>Nothing got access</h1>
<p>You can end the app where you started it, and close this page.</p>`

function addressPage(site: Site, { client, callbackUrl, lifetime }: CallbackView): Promise<HttpResponse> {
  const main = html`
<h1>Paste this address into your app</h1>
<p class="problem"><strong>Give it to nobody, and type it into no other page.</strong> Whoever has it is signed in as you.</p>
<section class="card" aria-label="For the app">
  <p class="app-name"><bdi>${client.clientName ?? 'An app without a name'}</bdi></p>
  <p class="hint">It waits for this address where you started it. The address is good once, for ${lifetime} seconds.</p>
  <p><label for="callback">Address</label></p>
  <textarea id="callback" class="address" rows="6" readonly autofocus>${callbackUrl}</textarea>
</section>
<p>If you did not start the app yourself, close this page, and disconnect it in <a href="${site.basePath}/account">your account</a>.</p>`
  return page(site, { title: 'Paste this address into your app', main, formAction: ["'none'"] })
}
