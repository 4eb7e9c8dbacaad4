import { type Interaction, sampleSession } from '@grantkit/core'
import { html, type SafeHtml } from '@grantkit/pages'

/** Your session, your sign-in page and your pages go here. Until then every visitor is Alice, at a loopback address only. */
export const interaction: Interaction = {
  session: sampleSession('alice'),
  signIn: (to) => ({ status: 303, headers: { location: `/login?${new URLSearchParams({ to })}` }, body: '' }),

  errorPage: ({ status, description }) => page(status, html`<h1>Sorry</h1><p>${description}</p>`),

  consentPage: ({ client, identity, redirectUri, formExpired, allowsNothing, formActionSources, ...form }) => {
    const target = /^https?:/.test(redirectUri) ? new URL(redirectUri).host : redirectUri
    const known = identity?.known
    const main = html`
      <h1>${known?.name ?? client.clientName ?? 'An app'} asks for access</h1>
      ${formExpired ? html`<p role="alert">This form was too old. Nothing was decided: please decide again.</p>` : ''}
      ${allowsNothing ? html`<p role="alert">Nothing was ticked. Tick at least one permission, or deny.</p>` : ''}
      <p>${known ? 'Verified: your' : 'Your'} answer goes to <strong>${target}</strong>. The app calls itself ${client.clientName ?? 'an app'}. You are signed in as ${form.session.subject}.</p>
      ${known ? html`<p>Whoever began this at ${known.host} can use this access as you. Go on only if it was you, a moment ago.</p>` : ''}
      ${identity && client.origin === 'document' ? html`<p>It is <code>${client.clientId}</code> of <strong>${identity.host}</strong>.</p>` : ''}
      <form method="post" action="${form.action}">
        <input type="hidden" name="ticket" value="${form.ticket}">
        ${form.scopes.map(
          ({ name, description, required }) => html`
            <p><label><input type="checkbox" name="scope" value="${name}" checked ${required ? 'disabled' : ''}>
              ${description}</label></p>`,
        )}
        <button name="decision" value="deny">Deny</button>
        <button name="decision" value="allow">Allow</button>
      </form>`
    return page(200, main, formActionSources)
  },
}

function page(status: number, main: SafeHtml, formAction: readonly string[] = ["'none'"]) {
  const sources = `form-action ${formAction.join(' ')}; frame-ancestors 'none'; base-uri 'none'`
  return {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': `default-src 'none'; ${sources}`,
    },
    body: String(html`<!doctype html><html lang="en"><title>{{html}}</title><main>${main}</main></html>`),
  }
}
