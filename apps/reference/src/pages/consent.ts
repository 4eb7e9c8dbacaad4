import type { ConsentScope, ConsentView, HttpResponse } from '@grantkit/core'
import { html } from 'hono/html'
import { type Markup, page, type Site } from './page.ts'
import { redirectTarget } from './redirect-target.ts'
import { originHint, vouchingHost } from './vouching-host.ts'

/** The consent page. The app chose its own name, so the target of the redirect is shown just as large, and whole on demand. */
export function consentPage(
  site: Site,
  view: ConsentView,
  account: { name: string; email: string },
): Promise<HttpResponse> {
  const { client, scopes } = view
  const name = client.clientName ?? 'An app without a name'
  const identity = scopes.filter(({ area }) => area === undefined)
  const main = html`
<h1>Allow access?</h1>${view.formLapsed ? LAPSED : ''}
<section class="card" aria-label="The app">
  <p class="app-name"><bdi>${name}</bdi></p>
  <p class="hint">${originHint(view)}</p>
  <dl>
    ${vouchingHost(view)}<dt>Sends you to</dt><dd>${redirectTarget(view.redirectUri)}<details><summary>The whole address</summary><code>${view.redirectUri}</code></details></dd>
    <dt>Signed in as</dt><dd><bdi>${account.name}</bdi>, <bdi>${account.email}</bdi> · <a class="whole" href="${site.basePath}/logout?${new URLSearchParams({ return_to: view.returnTo })}">Not you?</a></dd>
  </dl>
</section>
<form method="post" action="${view.action}">
  <input type="hidden" name="ticket" value="${view.ticket}">
  <p>It asks to do the following in your name. Untick what it should not do. You can disconnect it at any time in <a href="${site.basePath}/account">your account</a>.</p>
  ${identity.length > 0 ? group('You', identity) : ''}
  ${areasOf(scopes).map((area) =>
    group(
      area,
      scopes.filter((scope) => scope.area === area),
    ),
  )}
  <div class="actions">
    <button name="decision" value="allow" class="primary">Allow</button>
    <button name="decision" value="deny">Deny</button>
  </div>
</form>`
  return page(site, { title: 'Allow access', main, formAction: ["'self'", ...view.formActionSources] })
}

const LAPSED = html`<p class="problem" role="alert">Your answer did not count: this page was open for too long, or you have signed in anew since. Please answer again.</p>`

function group(title: string, scopes: readonly ConsentScope[]): Markup {
  return html`<fieldset><legend>${title}</legend>${scopes.map(checkbox)}</fieldset>`
}

function checkbox({ name, description, access, required, allowedBefore }: ConsentScope): Markup {
  const badge =
    access === undefined
      ? ''
      : html`<span class="badge ${access}">${access === 'read' ? 'Read' : 'Write'}</span>`
  const box = required
    ? html`<input type="checkbox" checked disabled>`
    : html`<input type="checkbox" name="scope" value="${name}" checked>`
  const before = allowedBefore ? html` <span class="before">allowed before</span>` : ''
  return html`<label class="scope">${box}<span>${description}${required ? ' (needed)' : ''}${before}</span>${badge}</label>`
}

function areasOf(scopes: readonly ConsentScope[]): string[] {
  return [...new Set(scopes.flatMap(({ area }) => area ?? []))]
}
