import type { HttpResponse } from '@grantkit/core'
import type { LogoutInteraction, LogoutView } from '@grantkit/core/logout'
import { html } from 'hono/html'
import { headerOf } from '../http/bodies-and-answers.ts'
import { page, type Site } from './page.ts'
import type { PagesOptions } from './routes.ts'

/**
 * The pages of a sign-out that an app requests (RP-initiated logout). `logout.ts` has the sign-out of the service
 * itself.
 */
export function logoutInteraction(options: PagesOptions): LogoutInteraction {
  const { site, sessions } = options
  return {
    endSession: (request) => sessions.end(headerOf(request, 'cookie')),
    logoutPage: (view) => logoutPage(site, view),
    signedOutPage: () => signedOutPage(site),
  }
}

function logoutPage(site: Site, view: LogoutView): Promise<HttpResponse> {
  const { client, action, ticket, formActionSources } = view
  const main = html`
<h1>Sign out</h1>
<p>${client?.clientName === undefined ? 'A link' : html`An app that calls itself <strong><bdi>${client.clientName}</bdi></strong>`} asks to sign you out of the school.</p>
<form method="post" action="${action}" class="card">
  <input type="hidden" name="ticket" value="${ticket}">
  <p>Apps you allowed before keep their access, those on a command line too, until you disconnect them in <a href="${site.basePath}/account">your account</a>.</p>
  <button class="primary">Sign out</button>
</form>
<p><a href="${site.basePath}/">Stay signed in</a></p>`
  return page(site, { title: 'Sign out', main, formAction: ["'self'", ...formActionSources] })
}

function signedOutPage(site: Site): Promise<HttpResponse> {
  const main = html`
<h1>You are signed out</h1>
<p>Apps you allowed before keep their access until you disconnect them in <a href="${site.basePath}/account">your account</a>.</p>`
  return page(site, { title: 'Signed out', main })
}
